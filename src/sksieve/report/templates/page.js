"use strict";
(() => {
  // Copy buttons: the text that follows is selected and copied.
  for (const button of document.querySelectorAll("button.copy")) {
    button.hidden = false;
    const label = button.textContent;
    button.addEventListener("click", () => {
      const range = document.createRange();
      range.selectNodeContents(button.nextElementSibling);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C";
      setTimeout(() => { button.textContent = label; }, 2000);
    });
  }
  // On paper "How to repeat" is open.
  const folds = document.querySelectorAll("details.repeat");
  addEventListener("beforeprint", () => { for (const fold of folds) fold.open = true; });
})();
