"use strict";
const sieve = {
  copy(button, text) {
    const label = button.dataset.label || (button.dataset.label = button.textContent);
    const area = document.createElement("textarea");
    area.value = text;
    area.setAttribute("readonly", "");
    area.style.position = "fixed";
    document.body.append(area);
    area.select();
    button.textContent = document.execCommand("copy") ? "Copied" : "Not copied: use Download";
    area.remove();
    button.focus();
    setTimeout(() => { button.textContent = label; }, 2000);
  },
  // A name in parts between which a line may end, as the filter of the templates makes it.
  breakable(name) {
    const node = document.createElement("bdi");
    const parts = name.length > 16 ? name.split(/(?<=[_./:=-])(?=[\p{L}\p{N}])/u) : [name];
    node.append(parts[0]);
    for (const part of parts.slice(1)) node.append(document.createElement("wbr"), part);
    return node;
  },
  download(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  },
};
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
