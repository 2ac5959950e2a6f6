// <tmux-terminal>: draws the frames of a tmux pane that the server sends, and sends it keys.

const AGAIN = 1000; // milliseconds until the next request to a lost server
const WHEEL = 3; // rows per notch
const EMPTY = "\u200b"; // in the input, so that a phone's keyboard has something to delete
// Input events by which a phone's keyboard reports keys, and buttons for the keys that it lacks.
const REPORTED = { insertLineBreak: "Enter", deleteContentBackward: "BSpace" };
const BUTTONS = ["Escape", "Tab", "C-c", "C-d", "Left", "Down", "Up", "Right"];
const NAMED = /^(Arrow\w+|Home|End|Page\w+|Insert|Delete|Enter|Escape|Tab|Backspace|F\d+)$/;
const UNSHIFTED = /^(Enter|Escape|Backspace)$/;
const PARTS = `
  <link rel="stylesheet" href="${new URL("terminal.css", import.meta.url)}">
  <div class="bar"><select title="Pane" hidden></select><span class="note"></span><slot></slot></div>
  <div class="box"><div class="screen"><div class="rows"></div><textarea class="cursor"
    aria-label="Terminal" autocapitalize="off" autocorrect="off" spellcheck="false"></textarea>
  </div></div>`;

// Text of the terminal is never taken as HTML.
const make = (tag, textContent = "", more = {}) =>
  Object.assign(document.createElement(tag), { textContent, ...more });

// tmux's name of a key; "" for text, which the browser puts into the input.
function nameOf(event) {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
  const named = NAMED.test(key);
  const character = (ctrlKey || altKey) && /^[ -~]$/.test(key);
  if (metaKey || event.getModifierState("AltGraph") || !(named || character)) return "";
  if (key === "Tab" && shiftKey) return "BTab";
  const shift = named && shiftKey && !UNSHIFTED.test(key);
  const name = key.replace("Arrow", "").replace("Backspace", "BSpace").replace(" ", "Space");
  const low = ctrlKey && !named && name !== "Space" ? name.toLowerCase() : name;
  return (ctrlKey ? "C-" : "") + (altKey ? "M-" : "") + (shift ? "S-" : "") + low;
}

class TmuxTerminal extends HTMLElement {
  #page = Math.floor(Math.random() * 2 ** 48); // its next request replaces the one that waits
  #has = {}; // what is shown
  #wanted = "";
  #top = null; // the first row shown, counted from the oldest one; null: the screen's
  #queue = []; // of { pane, items }
  #lost = ""; // why keys were lost
  #life = 0; // number of the loop that looks; a new loop ends the old one

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = PARTS;
    for (const name of ["box", "note", "rows", "screen", "select", "textarea"])
      this[name] = root.querySelector(`.${name}, ${name}`);
    if (matchMedia("(pointer: coarse)").matches) root.append(this.#keys());
    this.#listen(this.textarea);
    // Without its style the cursor is not in its place.
    root.querySelector("link").onload = () => this.#look(this.#top);
  }

  connectedCallback() {
    this.show(this.#wanted);
  }

  // Shows `pane`: an id, or a target as the agent writes it; "": the session's current pane.
  show(pane) {
    this.#wanted = pane || "";
    this.#look(null);
    this.textarea.focus({ preventScroll: true });
  }

  async #look(top) {
    const life = ++this.#life;
    this.#top = top;
    let have = false; // everything shown is of this pane, and the server knows it
    while (life === this.#life && this.isConnected) {
      await new Promise(requestAnimationFrame); // stops while the page is hidden
      const request = { page: this.#page, pane: this.#wanted, top, have };
      const lost = { refused: "reconnecting …" };
      const frame = await this.ask("tmux_look", request).catch(() => lost);
      if (life !== this.#life) return;
      have = !frame.refused;
      this.#draw(have ? frame : { say: frame.refused });
      if (!have) await new Promise((resolve) => setTimeout(resolve, AGAIN));
    }
  }

  #draw(frame) {
    const { height, width, x, y, pane, cursor } = Object.assign(this.#has, frame);
    const { rows, screen, select } = this;
    while (rows.childElementCount > height) rows.lastChild.remove();
    while (rows.childElementCount < height) rows.append(make("div"));
    const run = ([text, css]) => make("span", text, { style: css });
    for (const [at, row] of [...rows.children].entries())
      if (frame[at]) row.replaceChildren(...frame[at].map(run));
    if (frame.panes) {
      const options = frame.panes.map(([value, label]) => make("option", label, { value }));
      select.replaceChildren(...options);
      select.hidden = options.length < 2;
    }
    select.value = pane;
    screen.style.cssText = `--columns: ${width}; --x: ${x}; --y: ${y}`;
    this.textarea.style.opacity = cursor === "1" && this.#top === null ? 1 : 0;
    if (frame.x || frame.y) this.textarea.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.#say();
  }

  #say() {
    const { say, history } = this.#has;
    const back = this.#top === null ? "" : `${history - this.#top} rows back`;
    this.screen.style.opacity = say ? 0.4 : 1;
    this.note.textContent = say || this.#lost || back;
  }

  #keys() {
    const bar = make("div", "", { className: "bar" });
    const press = (key) => ({ onclick: () => this.#send("key", key) });
    bar.append(...BUTTONS.map((key) => make("button", key, press(key))));
    bar.onpointerdown = (event) => event.preventDefault(); // the input keeps the focus
    return bar;
  }

  #listen(input) {
    this.select.onchange = () => this.show(this.select.value);
    this.box.onwheel = (event) => {
      const up = event.deltaY < 0;
      if (up ? this.box.scrollTop > 0 : this.#top === null) return; // the page's own scrolling
      event.preventDefault();
      const history = Number(this.#has.history ?? 0);
      const next = Math.max((this.#top ?? history) + (up ? -WHEEL : WHEEL), 0);
      this.#look(next < history ? next : null);
    };
    this.box.onmouseup = () => this.#selected() || input.focus({ preventScroll: true });
    input.onkeydown = (event) => this.#key(event);
    input.oninput = (event) => event.isComposing || this.#typed(REPORTED[event.inputType]);
    input.addEventListener("compositionstart", () => (input.style.width = "20ch"));
    input.addEventListener("compositionend", () => this.#typed());
    input.onpaste = (event) => {
      event.preventDefault();
      const text = event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n");
      const count = text.split("\n").length;
      const question = `Paste ${count} lines? Each may run as it comes.`;
      if (count === 1 || this.#has.brackets === "1" || confirm(question)) this.#send("paste", text);
    };
    // The host's page handles these events itself.
    for (const name of ["keydown", "keyup", "keypress", "paste"])
      this.addEventListener(name, (event) => event.stopPropagation());
    input.value = EMPTY;
  }

  #typed(key) {
    const text = this.textarea.value.replaceAll(EMPTY, "");
    this.textarea.value = EMPTY;
    this.textarea.style.width = "";
    if (key) this.#send("key", key);
    else if (text) this.#send("text", text);
  }

  #key(event) {
    const name = nameOf(event);
    const composes = event.isComposing || event.keyCode === 229;
    const copies = name === "C-c" && (event.shiftKey || this.#selected());
    if (!name || composes || copies || name === "C-v") return; // the browser's
    event.preventDefault();
    this.#send("key", name);
  }

  #selected() {
    return (this.shadowRoot.getSelection?.() ?? getSelection()).toString() !== "";
  }

  // A bundle is sent when the last one has arrived, so that the keys stay in order.
  async #send(kind, value) {
    const pane = this.#has.pane; // the one that was visible when the key was typed
    const last = this.#queue.slice(1).at(-1); // the first is on its way
    if (last?.pane === pane) last.items.push([kind, value]);
    else this.#queue.push({ pane, items: [[kind, value]] });
    if (this.#top !== null) this.#look(null);
    if (this.#queue.length > 1) return;
    while (this.#queue.length) {
      const reply = await this.ask("tmux_type", this.#queue[0]).catch(() => null);
      const refused = reply?.refused ? `not typed: ${reply.refused}` : "";
      this.#lost = reply ? refused : "the last keys may be lost";
      this.#queue = reply ? this.#queue.slice(1) : []; // sent again they might arrive twice
      this.#say();
    }
  }
}

// `ask(event, data)`: sends a request to the server; a promise of the reply.
export function define(ask) {
  TmuxTerminal.prototype.ask = ask;
  customElements.get("tmux-terminal") || customElements.define("tmux-terminal", TmuxTerminal);
}
