// <tmux-terminal>: draws the frames of a tmux pane that the server sends, and sends it keys.

const AGAIN = 1000; // milliseconds until the next request to a lost server
const HIDDEN = 100; // milliseconds until the next look whether it can be seen
const LETTER = { wide: 8, high: 15 }; // pixels, if the window gets this page's size
const MOST_KEYS = 5; // for one turn of the wheel in a full screen
const EMPTY = "\u200b"; // in the input, so that a phone's keyboard has something to delete
// Input events by which a phone's keyboard reports keys.
const REPORTED = { insertLineBreak: "Enter", deleteContentBackward: "BSpace" };
const NAMED = /^(Arrow\w+|Home|End|Page\w+|Insert|Delete|Enter|Escape|Tab|Backspace|F\d+)$/;
const UNSHIFTED = /^(Enter|Escape|Backspace)$/;
const ADDRESS = /(https?:\/\/[^\s"'<>`]*[\w/#=&-])/;
export const SEEN = { checkOpacity: true }; // what isn't transparent
const LEAVE = "Ctrl+F6 leaves the terminal";
const PARTS = `
  <link rel="stylesheet" href="${new URL("terminal.css", import.meta.url)}">
  <div class="bar"><select aria-label="Pane" hidden></select>
    <span class="note" role="status"></span>
    <button class="fit" title="The terminal gets this size, if no other is attached">Fit</button>
    <slot></slot></div>
  <div class="box" tabindex="-1"><div class="screen"><div class="rows"></div>
    <textarea class="cursor" aria-label="Terminal. ${LEAVE}" autocapitalize="off" autocorrect="off"
      spellcheck="false"></textarea></div></div>
  <div class="bar keys"><button>Ctrl</button><button value="Escape">Esc</button>
    <button value="Tab">Tab</button><button value="Left">←</button><button value="Down">↓</button>
    <button value="Up">↑</button><button value="Right">→</button></div>
  <div class="card" role="alert" hidden></div>`;

// Text of the terminal is never taken as HTML.
const make = (tag, textContent = "", more = {}) =>
  Object.assign(document.createElement(tag), { textContent, ...more });
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// The elements of a run: each address in it, or the run itself, is a link.
const drawn = ([text, style, address]) =>
  (address ? ["", text] : text.split(ADDRESS)).map((part, at) =>
    make(at % 2 ? "a" : "span", part, { style, href: address ?? part, target: "_blank" }),
  );

// tmux's name of a key; "" for text, which the browser puts into the input.
function nameOf(event) {
  const { key, ctrlKey, altKey, shiftKey } = event;
  const named = NAMED.test(key);
  const character = (ctrlKey || altKey) && /^[ -~]$/.test(key);
  if (event.getModifierState("AltGraph") || !(named || character)) return "";
  if (key === "Tab" && shiftKey) return "BTab";
  const shift = named && shiftKey && !UNSHIFTED.test(key);
  const low = ctrlKey && !named ? key.toLowerCase() : key;
  const name = low.replace("Arrow", "").replace("Backspace", "BSpace").replace(" ", "Space");
  return (ctrlKey ? "C-" : "") + (altKey ? "M-" : "") + (shift ? "S-" : "") + name;
}

class TmuxTerminal extends HTMLElement {
  #page = Math.floor(Math.random() * 2 ** 48); // its next request replaces the one that waits
  #has = {}; // what is shown
  #wanted = "";
  #top = null; // the first row shown, counted from the oldest one; null: the screen's
  #turned = 0; // pixels by which the wheel was turned, less than a row
  #follows = true; // whether the cursor is scrolled to
  #queue = []; // of { pane, items }
  #lost = ""; // why keys were lost
  #opens = false; // when it is visible it gets the focus, and the session is started
  #back = null; // what had the focus before
  #life = 0; // number of the loop that looks; a new loop ends the old one

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = PARTS;
    for (const name of "box card fit keys note rows screen select textarea".split(" "))
      this[name] = root.querySelector(`.${name}, ${name}`);
    this.#listen(this.textarea);
    // Also when its style has come: until then the cursor is not in its place.
    new ResizeObserver(() => this.#look(this.#top)).observe(this.box);
  }

  connectedCallback() {
    this.show(document.body.dataset.tmuxPane);
  }

  disconnectedCallback() {
    if (document.activeElement === document.body) this.#leave();
  }

  // Shows `pane`: an id, or a target as the agent writes it; "": the session's current pane.
  show(pane) {
    this.#wanted = pane || "";
    this.#follows = true;
    this.#opens = true;
    if (this.checkVisibility(SEEN)) this.#focus(); // at once: a frame may take a second
    this.#look(null);
  }

  #focus() {
    this.textarea.focus({ preventScroll: true });
  }

  async #look(top) {
    const life = ++this.#life;
    this.#top = top;
    let have = false; // everything shown is of this pane, and the server knows it
    const over = () => life !== this.#life || !this.isConnected;
    while (!over()) {
      await new Promise(requestAnimationFrame); // stops while the page is hidden
      while (!over() && !this.checkVisibility(SEEN)) await pause(HIDDEN);
      if (over()) return;
      const start = this.#opens;
      if (start) this.#focus();
      this.#opens = false;
      const asked = { page: this.#page, pane: this.#wanted, top, have, size: this.#size, start };
      const frame = await this.ask("tmux_look", asked).catch(() => ({ refused: "reconnecting …" }));
      if (over()) return;
      have = !frame.refused;
      this.#draw(have ? frame : { say: frame.refused });
      if (!have) await pause(AGAIN);
    }
  }

  // The columns and rows that this page has room for; null: as large as the window is.
  get #size() {
    const { clientWidth, clientHeight } = this.box;
    const room = [clientWidth / LETTER.wide, clientHeight / LETTER.high];
    return localStorage.tmuxToolFit ? room.map(Math.floor) : null;
  }

  #draw(frame) {
    const { height, width, x, y, pane, cursor } = Object.assign(this.#has, frame);
    const { box, rows, screen, select, textarea } = this;
    while (rows.childElementCount > height) rows.lastChild.remove();
    while (rows.childElementCount < height) rows.append(make("div"));
    for (const [at, row] of [...rows.children].entries())
      if (frame[at]) row.replaceChildren(...frame[at].flatMap(drawn), "\n");
    if (frame.panes) {
      const options = frame.panes.map(([value, label]) => make("option", label, { value }));
      select.replaceChildren(...options);
      select.hidden = options.length < 2;
    }
    if (frame.server) this.#lost = "";
    select.value = pane;
    screen.style.cssText = `--columns: ${width}; --rows: ${height}; --x: ${x}; --y: ${y}`;
    textarea.style.opacity = cursor === "1" && this.#top === null ? 1 : 0;
    if ((frame.x || frame.y) && this.#top === null && this.#follows) {
      const fits = textarea.offsetTop + textarea.offsetHeight <= box.clientHeight;
      box.scrollTo(0, fits ? 0 : box.scrollTop); // what is above and left of the cursor is visible
      textarea.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.say();
  }

  say() {
    const { say, history } = this.#has;
    const hint = this.#top === null ? LEAVE : `${history - this.#top} rows back`;
    this.note.textContent = this.#lost || document.body.dataset.tmuxAsked || hint;
    this.fit.ariaPressed = Boolean(localStorage.tmuxToolFit);
    this.screen.style.opacity = say ? 0.4 : 1;
    this.card.hidden = !say;
    if (this.card.textContent !== say) this.card.textContent = say; // set again it is read again
  }

  #listen(input) {
    const { box, fit, keys, select } = this;
    select.onchange = () => this.show(select.value);
    fit.onclick = () => {
      localStorage.tmuxToolFit = localStorage.tmuxToolFit ? "" : "1";
      this.show(this.#wanted);
    };
    keys.onpointerdown = (event) => event.preventDefault(); // the input keeps the focus
    keys.onclick = ({ target }) => {
      if (target.value) this.#send("key", target.value);
      else if (target !== keys) target.ariaPressed = target.ariaPressed !== "true"; // Ctrl
    };
    box.onwheel = (event) => {
      if (!event.ctrlKey && this.#scroll(event.deltaY, event)) event.preventDefault();
    };
    let touched = 0; // where, in pixels
    box.ontouchstart = (event) => (touched = event.touches[0].clientY);
    box.ontouchmove = (event) => {
      const now = event.touches[0].clientY;
      if (this.#scroll(touched - now, event.touches[0])) event.preventDefault();
      touched = now;
    };
    box.onmouseup = () => this.#selection.isCollapsed && this.#focus();
    box.oncopy = (event) => {
      event.clipboardData.setData("text/plain", this.#copied());
      event.preventDefault();
    };
    box.onkeydown = (event) => this.#key(event);
    input.oninput = ({ isComposing, inputType }) => {
      if (isComposing) input.style.width = "20ch";
      else this.#typed(inputType);
    };
    input.addEventListener("compositionend", () => this.#typed());
    this.addEventListener("focusin", ({ relatedTarget }) => {
      if (relatedTarget && !this.contains(relatedTarget)) this.#back = relatedTarget;
    });
    // The host's page handles these events itself.
    for (const name of ["keydown", "keyup", "keypress", "paste"])
      this.addEventListener(name, (event) => event.stopPropagation());
    input.value = EMPTY;
  }

  // Scrolls the box, and beyond its ends the history or what the program shows. Whether it did more
  // than the browser does by itself.
  #scroll(pixels, { clientX, clientY }) {
    const { box, screen } = this;
    const { width, height, full, mouse } = this.#has;
    const up = pixels < 0;
    const below = box.scrollHeight - box.clientHeight - box.scrollTop > 1;
    this.#follows = this.#top === null && !up && !below;
    if (up ? box.scrollTop > 0 : this.#top === null && below) return false;
    const row = screen.offsetHeight / height;
    const count = Math.trunc((this.#turned + pixels) / row);
    this.#turned += pixels - count * row;
    if (mouse !== "1" && full !== "1") this.#turn(count);
    const place = screen.getBoundingClientRect();
    const x = Math.ceil(((clientX - place.left) / place.width) * width);
    const y = Math.ceil((clientY - place.top) / row);
    for (let turn = 0; turn < Math.min(Math.abs(count), MOST_KEYS); turn++)
      if (mouse === "1") this.#send("text", `\x1b[<${up ? 64 : 65};${x};${y}M`);
      else if (full === "1") this.#send("key", up ? "Up" : "Down");
    return true;
  }

  // Shows the history, or again the screen, `count` rows further down.
  #turn(count) {
    const { history } = this.#has;
    const row = Math.max((this.#top ?? Number(history)) + count, 0);
    const top = row < history ? row : null;
    if (top !== this.#top) this.#look(top);
  }

  get #selection() {
    return this.shadowRoot.getSelection?.() ?? getSelection();
  }

  // The selected text. A row that is full goes on in the next one: it loses its line break.
  #copied() {
    const edge = this.rows.getBoundingClientRect().right - 4;
    const full = ({ lastElementChild: end }) => end?.getBoundingClientRect().right > edge;
    if (this.#has.full !== "1")
      for (const row of [...this.rows.children].filter(full)) row.lastChild.data = "";
    return this.#selection.getRangeAt(0).toString().replace(/ *\n/g, "\n").replace(/\n$/, "");
  }

  // `how`: the type of the input event.
  #typed(how) {
    const text = this.textarea.value.replaceAll(EMPTY, "");
    this.textarea.value = EMPTY;
    this.textarea.style.width = "";
    const ctrl = this.keys.firstChild;
    const control = ctrl.ariaPressed === "true" && /^[!-~]$/.test(text);
    ctrl.ariaPressed = false;
    const key = control ? `C-${text.toLowerCase()}` : REPORTED[how];
    if (key) this.#send("key", key);
    else if (text) this.#send(how === "insertFromPaste" ? "paste" : "text", text);
  }

  #key(event) {
    const name = nameOf(event);
    const { key, ctrlKey, shiftKey, metaKey } = event;
    const page = { PageUp: -1, PageDown: 1 }[key];
    const modifier = /^(Control|Shift|Alt|AltGraph|Meta|CapsLock)$/.test(key);
    const copies = name === "C-c" && (shiftKey || !this.#selection.isCollapsed);
    if (modifier || metaKey || copies) return;
    this.#focus(); // a selection has taken it
    const composes = event.isComposing || event.keyCode === 229;
    if (!name || composes || name === "C-v") return; // the browser's
    event.preventDefault();
    if (ctrlKey && (key === "F6" || (key === "Escape" && shiftKey))) this.#leave();
    else if (shiftKey && page) this.#turn(page * (this.#has.height - 1));
    else this.#send("key", name);
  }

  #leave() {
    (this.#back?.isConnected ? this.#back : this.fit).focus();
  }

  // A bundle is sent when the last one has arrived, so that the keys stay in order.
  async #send(kind, value) {
    const pane = this.#has.pane; // the one that was visible when the key was typed
    if (!pane && !this.card.hidden) this.show(this.#wanted); // any key starts the session
    if (!pane) return;
    this.#follows = true;
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
      this.say();
    }
  }
}

// `ask(event, data)`: sends a request to the server; a promise of the reply.
export function define(ask) {
  TmuxTerminal.prototype.ask = ask;
  customElements.get("tmux-terminal") || customElements.define("tmux-terminal", TmuxTerminal);
}
