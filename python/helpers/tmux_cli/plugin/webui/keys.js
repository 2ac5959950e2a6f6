// Which of tmux's keys a key of the keyboard is: what xterm.js sends, in tmux's names.

const EDITS = "Home|End|PageUp|PageDown|Insert|Delete|Enter|Escape|Tab|Backspace";
const NAMED = RegExp(`^(Arrow(Up|Down|Left|Right)|${EDITS}|F([1-9]|1[0-2]))$`);
const CONTROLS = /^[a-z2-8@[\\\]^_/? ]$/i; // with Ctrl; by all others the browser zooms, or whatever

// Whether signs are typed with Option there: `|` is Option and 7.
const isMac = () => /Mac|iPhone|iPad/.test(navigator.platform);

// "": text, or a key that is the browser's. `full`: a full screen is shown.
export function nameOf(event, full) {
  if (event.metaKey || event.getModifierState("AltGraph")) return "";
  return NAMED.test(event.key) ? namedKey(event) : character(event, full);
}

function namedKey({ key, ctrlKey, altKey, shiftKey }) {
  const alt = altKey ? "M-" : "";
  const name = key.replace("Arrow", "");
  if (key === "Backspace") return ctrlKey ? `C-${alt}h` : `${alt}BSpace`;
  if (key === "Tab") return shiftKey ? "BTab" : `${alt}Tab`;
  if (key === "Enter" || key === "Escape") return alt + key;
  if (key === "Insert" && (ctrlKey || shiftKey)) return ""; // copies and pastes
  if (name !== key && alt && !ctrlKey && !shiftKey) {
    if (!isMac()) return `C-${name}`;
    if (name === "Left") return "M-b";
    if (name === "Right") return "M-f";
  }
  return (ctrlKey ? "C-" : "") + alt + (shiftKey ? "S-" : "") + name;
}

function character({ key, ctrlKey, altKey, shiftKey }, full) {
  if (!(ctrlKey || altKey) || !/^[ -~]$/.test(key)) return "";
  if (!ctrlKey) return isMac() ? "" : `M-${key.replace(" ", "Space")}`;
  if (!CONTROLS.test(key)) return "";
  const name = key.toLowerCase().replace(" ", "Space");
  if (altKey) return `C-M-${name}`;
  const browsers = shiftKey ? /[a-z]/ : /v/; // copies, pastes
  return browsers.test(key.toLowerCase()) && (shiftKey || !full) ? "" : `C-${name}`;
}
