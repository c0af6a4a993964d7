"use strict";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];

// Light or dark: as the system is set, until the user says otherwise.
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = (on) => document.documentElement.classList.toggle("dark", on);
paint(dark.matches);
dark.addEventListener("change", () => paint(dark.matches));
document.getElementById("theme").addEventListener("click", () => paint(!document.documentElement.classList.contains("dark")));

// One core at a time; the address says which.
function show(core) {
  all("section.core").forEach((section) => { section.hidden = section.dataset.core !== core; });
  all(".tabs button").forEach((tab) => tab.setAttribute("aria-selected", tab.dataset.show === core));
  all("tr[data-show]").forEach((row) => row.classList.toggle("shown", row.dataset.show === core));
}
const cores = all("section.core").map((section) => section.dataset.core);
const wanted = () => cores.find((core) => "#" + core === location.hash) ?? cores[0];
addEventListener("hashchange", () => show(wanted()));
all("[data-show]").forEach((one) => one.addEventListener("click", () => { location.hash = one.dataset.show; }));
show(wanted());

// Tables sort by the heading that is clicked: numbers first from the largest, words from A.
function value(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  return text !== "" && !isNaN(text) ? Number(text) : text;
}
function sort(table, heading) {
  const column = heading.cellIndex;
  const numeric = heading.classList.contains("num") && column > 0;
  const up = heading.classList.contains("up") || heading.classList.contains("down") ? heading.classList.contains("down") : !numeric;
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0) * (up ? 1 : -1);
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort((a, b) => compare(value(a, column), value(b, column))));
  all("th", table).forEach((other) => other.classList.remove("up", "down"));
  heading.classList.add(up ? "up" : "down");
}
all("table.sortable").forEach((table) => all("th", table).forEach((heading) => heading.addEventListener("click", () => sort(table, heading))));

// A step under the pointer is marked wherever it is drawn, and so is what lives in memory while it runs.
function mark(section, step) {
  all("[data-step]", section).forEach((one) => one.classList.toggle("on", one.dataset.step === step));
  all(".map", section).forEach((map) => map.classList.toggle("focused", step !== undefined));
  all(".tensor", section).forEach((tensor) => {
    const { first, last } = tensor.dataset;
    tensor.classList.toggle("on", step !== undefined && Number(first) <= Number(step) && Number(step) <= Number(last));
  });
}
all("section.core").forEach((section) => {
  section.addEventListener("pointerover", (event) => mark(section, event.target.closest("[data-step]")?.dataset.step));
  section.addEventListener("pointerleave", () => mark(section, undefined));
});

const tip = document.getElementById("tip");
addEventListener("pointermove", (event) => {
  const text = event.target.closest?.("[data-tip]")?.dataset.tip;
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + "px";
  tip.style.top = (event.clientY + 18 + height > innerHeight ? event.clientY - height - 10 : event.clientY + 18) + "px";
});
