// <tmux-terminal>: draws what the server says of a tmux pane, and sends it keys.

const AGAIN = 1000; // milliseconds until a lost server is asked again
const [SMALLEST, LARGEST] = [7, 16]; // pixels of a letter
const MARGINS = 12; // pixels beside the rows
const WHEEL = 3; // rows a notch
const EMPTY = "\u200b"; // in the input, so that a phone's keyboard has something to delete
// How a phone's keyboard tells them, and buttons for what it lacks.
const TOLD = { insertLineBreak: "Enter", deleteContentBackward: "BSpace" };
const BUTTONS = ["Escape", "Tab", "C-c", "C-d", "Left", "Down", "Up", "Right"];
const NAMED = /^(Arrow\w+|Home|End|Page\w+|Insert|Delete|Enter|Escape|Tab|Backspace|F\d+)$/;
const UNSHIFTED = /^(Enter|Escape|Backspace)$/;
const PARTS = `
  <link rel="stylesheet" href="${new URL("terminal.css", import.meta.url)}">
  <div class="bar"><select title="Pane"></select><span class="note"></span><slot></slot></div>
  <div class="box">
    <div class="screen">
      <div class="rows"></div>
      <textarea aria-label="Terminal" autocapitalize="off" autocorrect="off" spellcheck="false">
      </textarea>
      <div class="cursor"></div>
    </div>
  </div>
  <div class="bar keys"></div>`;

// Nothing of the terminal's is ever taken for HTML.
const make = (tag, textContent = "", more = {}) =>
  Object.assign(document.createElement(tag), { textContent, ...more });
const shown = () =>
  new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));

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
  #page = Math.floor(Math.random() * 2 ** 48); // its next question replaces the one that waits
  #has = {}; // what is shown
  #wanted = "";
  #top = null; // the first row looked at, counted from the oldest one; null: the screen
  #queue = []; // of { pane, items }
  #sending = false;
  #lost = ""; // keys were, and why
  #life = 0; // of the loop that looks; a new one ends the old

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = PARTS;
    for (const name of ["select", "textarea"]) this[name] = root.querySelector(name);
    for (const name of ["box", "cursor", "keys", "note", "rows", "screen"])
      this[name] = root.querySelector(`.${name}`);
    this.keys.append(...BUTTONS.map((key) => make("button", key)));
    root.querySelector("link").onload = () => this.#fit();
    this.observer = new ResizeObserver(() => this.#fit());
    this.#listen();
  }

  connectedCallback() {
    this.observer.observe(this.box);
    this.show(this.#wanted);
  }

  disconnectedCallback() {
    this.#life++;
    this.observer.disconnect();
  }

  // Shows `pane`: an id, or a target as the agent writes it; "" for the one the session is at.
  show(pane) {
    this.#wanted = pane || "";
    this.#look(null);
    this.textarea.focus({ preventScroll: true });
  }

  // looking

  async #look(top) {
    const life = ++this.#life;
    this.#top = top;
    let have = false; // all that is shown is of this pane, and the server knows it
    while (life === this.#life) {
      if (document.hidden) await shown();
      const question = { page: this.#page, pane: this.#wanted, top, have };
      const lost = { refused: "reconnecting …" };
      const frame = await this.ask("tmux_look", question).catch(() => lost);
      if (life !== this.#life) return;
      have = !frame.refused;
      if (have) this.#draw(frame);
      else {
        this.#say(frame.refused);
        await new Promise((resolve) => setTimeout(resolve, AGAIN));
      }
    }
  }

  #draw(frame) {
    const has = Object.assign(this.#has, frame);
    while (this.rows.childElementCount > has.height) this.rows.lastChild.remove();
    while (this.rows.childElementCount < has.height) this.rows.append(make("div"));
    [...this.rows.children].forEach((row, at) => {
      if (frame[at]) row.replaceChildren(...frame[at].map(this.#run));
    });
    if (frame.panes) {
      this.select.replaceChildren(
        ...frame.panes.map(([value, label]) => make("option", label, { value })),
      );
      this.select.hidden = frame.panes.length < 2;
    }
    this.select.value = has.pane;
    this.cursor.hidden = has.cursor !== "1";
    if (frame.width || frame.x || frame.y) this.#fit();
    this.#say(has.say);
  }

  #run([text, css]) {
    const run = make("span", text);
    run.style.cssText = css;
    return run;
  }

  #say(text) {
    const { top, history } = this.#has;
    const back = top == null ? "" : `${history - top} rows back`;
    this.screen.classList.toggle("old", Boolean(text));
    this.note.textContent = text || this.#lost || back;
  }

  // The letters shrink until all columns fit; below the smallest size it scrolls.
  #fit() {
    const { width, x, y } = this.#has;
    const { style } = this.screen;
    style.width = `${width}ch`;
    const size = parseFloat(getComputedStyle(this.screen).fontSize);
    const room = (this.box.clientWidth - MARGINS) / this.screen.getBoundingClientRect().width;
    const fits = Math.floor(room * size * 10) / 10;
    if (width) style.fontSize = `${Math.min(LARGEST, Math.max(SMALLEST, fits))}px`;
    // The input is at the cursor, where an input method shows what it composes.
    for (const one of [this.cursor, this.textarea])
      Object.assign(one.style, { left: `${x}ch`, top: `${y}lh` });
    if (this.cursor.hidden) return;
    const { offsetTop, offsetHeight } = this.cursor;
    const least = offsetTop + 2 * offsetHeight - this.box.clientHeight;
    this.box.scrollTop = Math.max(least, Math.min(this.box.scrollTop, offsetTop));
  }

  #scroll(rows) {
    const history = Number(this.#has.history ?? 0);
    const next = Math.max((this.#top ?? history) + rows, 0);
    if (next < history || this.#top !== null) this.#look(next < history ? next : null);
  }

  // typing

  #listen() {
    const input = this.textarea;
    this.select.onchange = () => this.show(this.select.value);
    this.keys.onpointerdown = (event) => event.preventDefault(); // the input keeps the focus
    this.keys.onclick = ({ target }) => this.#send("key", target.textContent);
    this.box.onwheel = (event) => {
      const up = event.deltaY < 0;
      if (up ? this.box.scrollTop > 0 : this.#top === null) return; // the page's own scrolling
      event.preventDefault();
      this.#scroll(up ? -WHEEL : WHEEL);
    };
    this.box.onmouseup = () => this.#selected() || input.focus({ preventScroll: true });
    input.onkeydown = (event) => this.#key(event);
    input.onbeforeinput = (event) => {
      const key = TOLD[event.inputType];
      if (!key || event.isComposing) return;
      event.preventDefault();
      this.#send("key", key);
    };
    input.oninput = (event) => event.isComposing || this.#typed();
    input.addEventListener("compositionstart", () => input.classList.add("composing"));
    input.addEventListener("compositionend", () => this.#typed());
    input.onpaste = (event) => {
      event.preventDefault();
      this.#paste(event.clipboardData.getData("text/plain").replace(/\r\n?/g, "\n"));
    };
    // The host's page has plans of its own for these.
    for (const name of ["keydown", "keyup", "keypress", "paste"])
      this.addEventListener(name, (event) => event.stopPropagation());
    input.value = EMPTY;
  }

  #typed() {
    const text = this.textarea.value.replaceAll(EMPTY, "");
    this.textarea.value = EMPTY;
    this.textarea.classList.remove("composing");
    if (text) this.#send("text", text);
  }

  #key(event) {
    const name = nameOf(event);
    const composes = event.isComposing || event.keyCode === 229;
    const copies = name === "C-c" && (event.shiftKey || this.#selected());
    if (!name || composes || copies || name === "C-v") return; // the browser's
    event.preventDefault();
    const half = this.#has.height >> 1;
    if (name === "S-PageUp") this.#scroll(-half);
    else if (name === "S-PageDown") this.#scroll(half);
    else this.#send("key", name);
  }

  #selected() {
    return (this.shadowRoot.getSelection?.() ?? getSelection()).toString() !== "";
  }

  #paste(text) {
    const count = text.split("\n").length;
    const question = `Paste ${count} lines? Each may run as it comes.`;
    if (count === 1 || this.#has.brackets === "1" || confirm(question)) this.#send("paste", text);
  }

  // The next bundle goes when the last has arrived: the order stays, whatever the line does.
  async #send(kind, value) {
    const pane = this.#has.pane; // the one that was seen when it was typed
    if (this.#queue.at(-1)?.pane !== pane) this.#queue.push({ pane, items: [] });
    this.#queue.at(-1).items.push([kind, value]);
    if (this.#top !== null) this.#look(null);
    if (this.#sending) return;
    this.#sending = true;
    while (this.#queue.length) {
      const reply = await this.ask("tmux_type", this.#queue.shift()).catch(() => null);
      if (!reply) this.#queue = []; // typed again they might come twice
      const refused = reply?.refused ? `not typed: ${reply.refused}` : "";
      this.#lost = reply ? refused : "the last keys may be lost";
      this.#say(this.#has.say);
    }
    this.#sending = false;
  }
}

// `ask(event, data)`: the page's way to the server, a promise of the reply.
export function define(ask) {
  TmuxTerminal.prototype.ask = ask;
  customElements.get("tmux-terminal") || customElements.define("tmux-terminal", TmuxTerminal);
}
