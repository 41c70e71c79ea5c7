"use strict";
(() => {
  const say = (words) => { document.getElementById("says").textContent = words; };
  const fold = (words) => words.normalize("NFKC").toLowerCase();

  for (const input of document.querySelectorAll("input[type=search]")) {
    const table = document.getElementById(input.dataset.table);
    const found = document.getElementById(input.dataset.table + "-found");
    const rows = [...table.tBodies[0].rows].map((row) => [row, fold(row.textContent)]);
    input.addEventListener("input", () => {
      const words = fold(input.value).split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const [row, text] of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        shown += row.hidden ? 0 : 1;
      }
      found.textContent = words.length ? `${shown} of ${rows.length} rows` : `${rows.length} rows`;
    });
  }

  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const compare = (a, b) => {
    const [x, y] = [a.dataset.sort, b.dataset.sort];
    if (x !== undefined && y !== undefined) return Number(x) - Number(y);
    if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
    return order.compare(a.textContent, b.textContent);
  };
  for (const button of document.querySelectorAll("thead button")) {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const table = head.closest("table");
      const up = head.getAttribute("aria-sort") !== "ascending";
      for (const other of head.parentElement.children) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const at = head.cellIndex;
      const rows = [...table.tBodies[0].rows];
      rows.sort((a, b) => (up ? 1 : -1) * compare(a.cells[at], b.cells[at]));
      table.tBodies[0].append(...rows);
      say(`${table.caption.textContent}: sorted by ${button.textContent}, ${up ? "ascending" : "descending"}`);
    });
  }

  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };
  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", async () => {
      let word = "Copied";
      try { await copy(document.getElementById(button.dataset.copy).textContent); } catch { word = "Select and copy"; }
      button.textContent = word;
      say(word);
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }
})();
