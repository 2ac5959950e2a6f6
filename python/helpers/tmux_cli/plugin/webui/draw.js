// Elements of the page.

export const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// One run of the server's: text and how it looks. Nothing of it is ever taken for HTML.
export function drawn([text, ink, paper, classes, cells]) {
  const span = make("span", {
    textContent: text,
    className: classes ? [...classes].join(" ") : "",
  });
  if (ink) span.style.color = ink;
  if (paper) span.style.background = paper;
  if (cells) span.style.width = `${cells}ch`;
  return span;
}
