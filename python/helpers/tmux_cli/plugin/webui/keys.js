// What a key of the keyboard is for a terminal.

const NAMED = {
  ArrowUp: "Up",
  ArrowDown: "Down",
  ArrowLeft: "Left",
  ArrowRight: "Right",
  Home: "Home",
  End: "End",
  PageUp: "PPage",
  PageDown: "NPage",
  Insert: "IC",
  Delete: "DC",
  Enter: "Enter",
  Escape: "Escape",
  Tab: "Tab",
  Backspace: "BSpace",
};
// For fingers, where there is no keyboard with these.
export const BUTTONS = {
  Esc: "Escape",
  Tab: "Tab",
  "^C": "\x03",
  "^D": "\x04",
  "◀": "Left",
  "▼": "Down",
  "▲": "Up",
  "▶": "Right",
};
const UNSHIFTED = ["Enter", "Escape", "BSpace"];

// { key } with tmux's name of it, or { text } with a control character; null for text, which the
// browser puts into its input.
export function keyed({ key, ctrlKey, altKey, shiftKey }) {
  const named = NAMED[key] ?? (/^F([1-9]|1[0-2])$/.test(key) ? key : null);
  if (named === "Tab" && shiftKey) return { key: "BTab" };
  const shift = shiftKey && !UNSHIFTED.includes(named) ? "S-" : "";
  if (named) return { key: `${ctrlKey ? "C-" : ""}${altKey ? "M-" : ""}${shift}${named}` };
  const escape = altKey ? "\x1b" : "";
  if (ctrlKey)
    return /^[a-z@[\\\]^_ ]$/i.test(key)
      ? { text: escape + String.fromCharCode(key.toUpperCase().charCodeAt(0) & 31) }
      : null;
  return altKey && /^[ -~]$/.test(key) ? { text: escape + key } : null;
}
