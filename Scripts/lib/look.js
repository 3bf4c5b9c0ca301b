// What a reader would see of a page that is wrong: text cut off, tables that cannot be reached, labels on each other, faint text.
const name = node => (node.textContent || "").trim().replace(/\s+/g, " ").slice(0, 40);
const shown = box => box.width > 0.5 && box.height > 0.5;

function look(frame, width) {
  const view = frame.contentWindow, document = frame.contentDocument, root = document.documentElement, wrong = [];
  if (root.scrollWidth > view.innerWidth) wrong.push(`${root.scrollWidth} px wide in a window of ${view.innerWidth}`);
  for (const details of document.querySelectorAll("details")) details.open = true;
  if (root.scrollWidth > view.innerWidth) wrong.push(`${root.scrollWidth} px wide with all numbers open`);
  // Text is within the window, or in a box that scrolls.
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement;
    if (!text.data.trim() || parent.closest(".hidden, .skip, .scroll, title, desc, style")) continue;
    range.selectNodeContents(text);
    for (const box of range.getClientRects())
      if (shown(box) && (box.right > width + 1 || box.left < -1)) wrong.push(`cut off: ${name(text)}`);
  }
  // What scrolls keeps its names, and the answer beside them, where they are seen.
  for (const box of document.querySelectorAll(".scroll")) {
    box.scrollLeft = 0;
    const room = box.getBoundingClientRect();
    const cells = [...box.querySelectorAll("tr > :first-child, .keyed tr > :nth-child(2)")];
    for (const cell of cells.filter(cell => cell.colSpan < 2 && cell.getBoundingClientRect().right > room.right + 1))
      wrong.push(`not seen without scrolling: ${name(cell)}`);
    if (box.scrollWidth <= box.clientWidth + 1) continue;
    box.scrollLeft = 1e6;
    const last = box.querySelector("tbody tr:last-child > :last-child");
    if (last && last.colSpan < 2 && last.getBoundingClientRect().right > room.right + 1)
      wrong.push(`cannot be reached by scrolling: ${name(last)}`);
    const names = [...box.querySelectorAll("tbody tr > :first-child")];
    for (const cell of names.filter(cell => cell.getBoundingClientRect().left < room.left - 1 && cell.colSpan < 2))
      wrong.push(`scrolled away: ${name(cell)}`);
  }
  // Labels of a chart do not lie on each other.
  for (const svg of document.querySelectorAll("svg[role=img]")) {
    const labels = [...svg.querySelectorAll("text")].map(text => [text, text.getBoundingClientRect()]);
    labels.forEach(([a, first], i) => labels.slice(i + 1).forEach(([b, second]) => {
      const x = Math.min(first.right, second.right) - Math.max(first.left, second.left);
      const y = Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top);
      if (x > 1 && y > Math.min(first.height, second.height) * 0.45)
        wrong.push(`labels on each other in ${name(svg.querySelector("title"))}: ${name(a)} | ${name(b)}`);
    }));
  }
  // WCAG 2.2, 1.4.3: text against what is behind it.
  const number = color => (color.match(/[0-9.]+/g) || []).map(Number);
  const light = color => number(color).slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = view.getComputedStyle(e).backgroundColor, parts = number(color);
      if (parts.length === 3 || parts[3] > 0) return color;
    }
    return "rgb(255,255,255)";
  };
  const faint = new Set();
  for (const element of document.querySelectorAll("h1,h2,h3,h4,p,a,li,dt,dd,th,td,span,strong,summary,code,svg text")) {
    if (!name(element) || element.closest(".hidden")) continue;
    const style = view.getComputedStyle(element);
    const [a, b] = [light(element.closest("svg") ? style.fill : style.color), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) faint.add(`${contrast.toFixed(1)} to 1: ${name(element)}`);
  }
  wrong.push(...[...faint].slice(0, 3));
  return {
    width, wrong: [...new Set(wrong)].slice(0, 8), dark: view.matchMedia("(prefers-color-scheme: dark)").matches,
    drawings: document.querySelectorAll("svg[role=img]").length,
  };
}
