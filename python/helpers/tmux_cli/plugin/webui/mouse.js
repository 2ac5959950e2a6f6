// The mouse, as xterm tells a program of it that asks for clicks, for drags too, or for all.

const LAST = 94; // column or row that the older form can name in ASCII
const HELD = [3, 0, 2, 0, 1, 0, 2, 0]; // by the DOM's sum: the button's number; 3: none

// The sequence for an event in that cell, counted from 1; "": the program did not ask for it.
export function mouseOf(event, { mouse, sgr }, column, row) {
  const { type, buttons, altKey, ctrlKey } = event;
  const released = type === "mouseup";
  let code = event.button;
  if (type === "wheel") code = event.deltaY < 0 ? 64 : 65;
  if (type === "mousemove") code = 32 + HELD[buttons & 7];
  if (type === "mousemove" && (mouse === "clicks" || (mouse === "drags" && !buttons))) return "";
  code += (altKey ? 8 : 0) + (ctrlKey ? 16 : 0);
  if (sgr === "1") return `\x1b[<${code};${column};${row}${released ? "m" : "M"}`;
  const numbers = [released ? 3 : code, column, row].map((number) => number + 32);
  return Math.max(column, row) > LAST ? "" : `\x1b[M${String.fromCharCode(...numbers)}`;
}
