// <tmux-terminal>: draws the frames of a tmux pane that the server sends, and sends it keys.
import { nameOf } from "./keys.js";
import { linked } from "./links.js";
import { mouseOf } from "./mouse.js";

const AGAIN = 1000; // milliseconds until the next request to a lost server
const WATCHED = 100; // milliseconds until the next look whether it can be seen
const CALM = 1000; // milliseconds without a key, after which a hidden terminal lets the focus go
const SETTLED = 250; // milliseconds without another size, or row
const LETTERS = { smallest: 8, touched: 12, usual: 14, largest: 24 }; // pixels
const LETTER = { wide: 0.61, high: 1.17 }; // of their size; as in terminal.css
const EDGE = { wide: 12, high: 8 }; // pixels around the screen
const NOTCH = 16; // pixels of the scroll bar for a row
const MOST_KEYS = 5; // for one turn of the wheel in a full screen
const MOST_READ = 20; // rows, to who cannot see them
const EMPTY = "\u200b"; // in the input, so that a phone's keyboard has something to delete
// Input events by which a phone's keyboard reports keys.
const REPORTED = { insertLineBreak: "Enter", deleteContentBackward: "BSpace" };
export const SEEN = { checkOpacity: true }; // what isn't transparent
const LOST = { refused: "reconnecting …" };
const NEW = "new"; // instead of a pane
const LEAVE = "Ctrl+F6 leaves the terminal";
const MODE = "an attached terminal is scrolled back: a key here ends that";
const PASTES = "Ctrl+V went to the program: Ctrl+Shift+V pastes";
const UNSEEN = "not typed: the screen could not be seen";
const FIND = "Find in the history: Ctrl+Shift+F; Enter: above, Shift+Enter: below";
const PARTS = `
  <link rel="stylesheet" href="${new URL("terminal.css", import.meta.url)}">
  <div class="bar"><select aria-label="Window"></select><span class="note" role="status"></span>
    <input class="find" type="search" placeholder="Find" title="${FIND}" aria-label="${FIND}">
    <button value="-1" aria-label="Smaller letters">A−</button>
    <button value="1" aria-label="Larger letters">A+</button>
    <button class="fit" title="The terminal has this page's size">Fit</button><slot></slot></div>
  <div class="box" tabindex="-1"><div class="screen"><div class="rows" role="list"></div>
    <textarea class="cursor" aria-label="Terminal. ${LEAVE}" autocapitalize="off" autocorrect="off"
      spellcheck="false"></textarea></div></div>
  <div class="scroll" tabindex="-1"><div></div></div>
  <div class="bar keys"><button>Ctrl</button><button value="Escape">Esc</button>
    <button value="Tab">Tab</button><button value="Left">←</button><button value="Down">↓</button>
    <button value="Up">↑</button><button value="Right">→</button><button>Paste</button></div>
  <div class="live" aria-live="polite"></div><div class="card" role="alert" hidden></div>`;

// Text of the terminal is never taken as HTML.
const make = (tag, textContent = "", more = {}) =>
  Object.assign(document.createElement(tag), { textContent, ...more });
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const drawn = ([text, style, href]) =>
  href ? make("a", text, { style, href, target: "_blank" }) : make("span", text, { style });
const touched = () => matchMedia("(pointer: coarse)").matches;
const isLight = () =>
  document.body.matches(".light-mode") ||
  (!document.body.matches(".dark-mode") && matchMedia("(prefers-color-scheme: light)").matches);

// A number of its own, the same when the page is loaded again.
function pageId() {
  const key = `tmuxToolPage${document.querySelectorAll("tmux-terminal").length}`;
  const again = performance.getEntriesByType("navigation")[0]?.type === "reload";
  const known = again && Number(sessionStorage[key]);
  sessionStorage[key] = known || Math.floor(Math.random() * 2 ** 48);
  return Number(sessionStorage[key]);
}

class TmuxTerminal extends HTMLElement {
  #page = pageId(); // its next request replaces the one that waits
  #has = {}; // what is shown
  #wanted = "";
  #top = null; // the first row shown, counted from the oldest one; null: the screen's
  #scrolled = 0; // pixels to which the scroll bar was set
  #found = -1; // a row
  #turned = 0; // pixels by which the wheel was turned, less than a row
  #follows = true; // whether the cursor is scrolled to
  #queue = []; // of { pane, items, owns }
  #lost = ""; // why keys were lost
  #opens = false; // when it is visible it gets the focus, and the session is started
  #seen = false;
  #back = null; // what had the focus before
  #typedAt = 0; // milliseconds
  #room = null; // the columns and rows for which there is room
  #unread = new Set(); // numbers of rows
  #pointed = ""; // what the program was told of the mouse last
  #timers = {};
  #life = 0; // number of the loop that looks; a new loop ends the old one

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.innerHTML = PARTS;
    const names = "bar box card find fit keys live note rows screen scroll select textarea";
    for (const name of names.split(" "))
      this[name] = root.querySelector(`.${name}, ${name}`);
    this.#listen(this.textarea);
    // Also when its style has come: until then the cursor is not in its place.
    new ResizeObserver(() => this.#later("size", () => this.#measure())).observe(this.box);
  }

  connectedCallback() {
    this.#timers.watch = setInterval(() => this.#watch(), WATCHED);
    this.show(document.body.dataset.tmuxPane || "");
  }

  disconnectedCallback() {
    clearInterval(this.#timers.watch);
    if (document.activeElement === document.body) this.#leave();
  }

  // Opens it at `pane`: an id, or a target as the agent writes it; "": the session's current pane.
  show(pane = this.#wanted) {
    this.#wanted = pane;
    this.#follows = true;
    this.#opens = true;
    this.#focus(); // at once: until it is visible, or a frame has come, may take a second
    this.#look(null);
  }

  #focus() {
    this.textarea.focus({ preventScroll: true });
  }

  #later(name, action) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(action, SETTLED);
  }

  // The host hides the terminal, behind another tab too, and tells nobody.
  #watch() {
    this.toggleAttribute("light", isLight());
    const seen = this.checkVisibility(SEEN);
    if (seen) this.#seen = true;
    if (seen || !this.#seen || this.#opens) return;
    if (Date.now() - this.#typedAt < CALM) return; // the rest of a password is not for the chat
    this.#seen = false;
    if ([document.body, this].includes(document.activeElement)) this.#leave();
  }

  async #look(top) {
    const life = ++this.#life;
    this.#top = top;
    let have = false; // everything shown is of this pane, and the server knows it
    const over = () => life !== this.#life || !this.isConnected;
    while (!over()) {
      // A hidden tab keeps its size: browsers let it ask once a second, or once a minute.
      await (document.hidden ? pause(WATCHED) : new Promise(requestAnimationFrame));
      while (!over() && !this.checkVisibility(SEEN)) await pause(WATCHED);
      if (over()) return;
      const start = this.#opens;
      if (start) this.#focus();
      this.#opens = false;
      const size = this.#fits ? this.#room : [];
      const chat = globalThis.getContext?.() ?? ""; // the host's id of the open one
      const asked = { page: this.#page, pane: this.#wanted, top, have, size, start, chat };
      const frame = await this.ask("tmux_look", asked).catch(() => LOST);
      if (over()) return;
      have = !frame.refused;
      this.#draw(have ? frame : { say: frame.refused });
      this.#opens ||= start && !have && document.activeElement === this;
      if (!have) await pause(AGAIN);
    }
  }

  get #fits() {
    return localStorage.tmuxToolFit !== "off";
  }

  // Takes the columns and rows for which there is room, by letters that are larger by `more` pixels.
  #measure(more = 0) {
    const { clientWidth, clientHeight } = this.box;
    const { smallest, largest, usual } = LETTERS;
    const now = Number(localStorage.tmuxToolLetters) || (touched() ? LETTERS.touched : usual);
    const letters = Math.max(smallest, Math.min(now + more, largest));
    if (more) localStorage.tmuxToolLetters = letters;
    this.style.setProperty("--letters", `${letters}px`);
    const columns = Math.floor((clientWidth - EDGE.wide) / (letters * LETTER.wide));
    const rows = Math.floor((clientHeight - EDGE.high) / (letters * LETTER.high));
    this.#room = columns > 0 && rows > 0 ? [columns, rows] : null;
    this.#look(this.#top);
  }

  #draw(frame) {
    const before = this.#has;
    this.#has = { ...before, ...frame };
    const { height, width, x, y, pane, cursor, history } = this.#has;
    const all = ({ history, height }) => Number(history) + Number(height);
    if (this.#top !== null && all(this.#has) < all(before)) return this.#look(this.#slid());
    const { box, rows, screen, scroll, select, textarea } = this;
    while (rows.childElementCount > height) rows.lastChild.remove();
    while (rows.childElementCount < height) rows.append(make("div", "", { role: "listitem" }));
    const runs = [...rows.children].map((_, at) => this.#has[at] ?? []);
    for (const [at, row] of linked(runs, width).entries()) {
      const element = rows.children[at];
      element.classList.toggle("found", at + (this.#top ?? Number(history)) === this.#found);
      if (element.shows === JSON.stringify(row)) continue;
      element.shows = JSON.stringify(row);
      element.replaceChildren(...row.map(drawn), "\n");
      if (height === before.height && this.#top === null) this.#read(at);
    }
    if (frame.panes) {
      const options = frame.panes.map(([value, label]) => make("option", label, { value }));
      select.replaceChildren(...options, make("option", "New window", { value: NEW }));
    }
    select.value = pane;
    screen.style.cssText = `--columns: ${width}; --rows: ${height}; --x: ${x}; --y: ${y}`;
    textarea.style.opacity = cursor === "1" && this.#top === null ? 1 : 0;
    scroll.firstChild.style.height = `calc(100% + ${history * NOTCH}px)`;
    scroll.scrollTop = (this.#top ?? history) * NOTCH;
    this.#scrolled = scroll.scrollTop; // rounded
    if ((frame.x || frame.y) && this.#top === null && this.#follows) {
      const fits = textarea.offsetTop + textarea.offsetHeight <= box.clientHeight;
      box.scrollTo(0, fits ? 0 : box.scrollTop); // what is above and left of the cursor is visible
      textarea.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.say();
  }

  // Where the first row shown is now that the history has become shorter: tmux drops a tenth of a
  // full one. It was cleared: the screen.
  #slid() {
    const { history, limit } = this.#has;
    const dropped = Math.floor(limit / 10);
    return this.#top >= dropped && history >= limit - dropped ? this.#top - dropped : null;
  }

  // Reads out the row with others that have come, but not what was typed.
  #read(row) {
    this.#unread.add(row);
    this.#later("read", () => {
      const numbers = [...this.#unread].sort((one, other) => one - other).slice(-MOST_READ);
      const texts = numbers.map((at) => this.rows.children[at]?.textContent.trim());
      const types = Date.now() - this.#typedAt < CALM;
      if (!types || numbers.some((at) => at !== Number(this.#has.y)))
        this.live.textContent = texts.filter(Boolean).join("\n");
      this.#unread.clear();
    });
  }

  say(lost = this.#lost) {
    const { say, history, mode, fits } = this.#has;
    let hint = fits || (touched() ? "" : LEAVE);
    if (mode === "1") hint = MODE;
    if (this.#top !== null) hint = `${history - this.#top} rows back`;
    this.#lost = lost;
    this.note.textContent = lost || document.body.dataset.tmuxAsked || hint;
    this.fit.ariaPressed = this.#fits && !fits;
    this.screen.style.opacity = say ? 0.4 : 1;
    this.card.hidden = !say;
    if (this.card.textContent !== say) this.card.textContent = say; // set again it is read again
  }

  #listen(input) {
    const { bar, box, card, find, fit, keys, scroll, select } = this;
    select.onchange = async () => {
      const opened = select.value === NEW && (await this.ask("tmux_open", {}).catch(() => LOST));
      this.show(opened ? opened.pane : select.value);
    };
    card.onclick = () => this.show();
    bar.onclick = ({ target }) => Number(target.value) && this.#measure(Number(target.value));
    fit.onclick = () => {
      localStorage.tmuxToolFit = fit.ariaPressed === "true" ? "off" : "";
      if (this.#fits) this.#send(); // from now on it has the size
      this.#look(this.#top);
    };
    find.oninput = () => (this.#found = -1);
    find.onkeydown = ({ key, shiftKey }) => {
      if (key === "Enter" && find.value) this.#find(shiftKey);
      if (key === "Escape") this.#focus();
    };
    scroll.onscroll = () => {
      const moved = Math.abs(scroll.scrollTop - this.#scrolled) >= 1;
      if (moved) this.#scrollTo(Math.round(scroll.scrollTop / NOTCH));
    };
    keys.onpointerdown = (event) => event.preventDefault(); // the input keeps the focus
    keys.onclick = ({ target }) => {
      if (target === keys.lastChild) this.#paste();
      else if (target.value) this.#send("key", target.value);
      else if (target !== keys) target.ariaPressed = target.ariaPressed !== "true"; // Ctrl
    };
    box.onwheel = (event) => {
      if (!event.ctrlKey && this.#scroll(event.deltaY, event)) event.preventDefault();
    };
    let touch = 0; // where, in pixels
    box.ontouchstart = (event) => (touch = event.touches[0].clientY);
    box.ontouchmove = (event) => {
      const now = event.touches[0].clientY;
      if (this.#scroll(touch - now, event.touches[0])) event.preventDefault();
      touch = now;
    };
    box.onpointerdown = (event) => {
      if (this.#isPrograms(event)) box.setPointerCapture(event.pointerId);
    };
    for (const name of ["mousedown", "mousemove", "mouseup"])
      box.addEventListener(name, (event) => this.#point(event));
    box.oncontextmenu = (event) => {
      if (this.#isPrograms(event)) event.preventDefault();
      else if (this.#selection.isCollapsed) this.#pastable(event);
    };
    box.oncopy = (event) => {
      event.clipboardData.setData("text/plain", this.#copied());
      event.preventDefault();
      setTimeout(() => this.#selection.removeAllRanges()); // the next Ctrl+C interrupts
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

  // Shows the row above, or below, that contains what is sought.
  async #find(below) {
    const { pane, height, history } = this.#has;
    const sought = { pane, text: this.find.value };
    const { rows, refused } = await this.ask("tmux_find", sought).catch(() => LOST);
    const from = this.#found < 0 ? (this.#top ?? Number(history)) + Number(height) : this.#found;
    const next = below ? rows?.find((row) => row > from) : rows?.findLast((row) => row < from);
    this.say(next === undefined ? (refused ?? "not found") : "");
    this.#found = next ?? this.#found;
    if (next !== undefined) this.#scrollTo(next - Math.floor(height / 2));
  }

  async #paste() {
    const read = await navigator.clipboard?.readText().catch(() => null); // if the browser lets us
    const text = read ?? prompt("Paste here");
    if (text) this.#send("paste", text);
  }

  // Moves the input to the pointer, so that the browser's menu can paste.
  #pastable({ clientX, clientY }) {
    const { left, top } = this.screen.getBoundingClientRect();
    this.textarea.style.setProperty("--left", `${clientX - left}px`);
    this.textarea.style.setProperty("--top", `${clientY - top}px`);
    this.textarea.classList.add("menu");
    this.#focus();
  }

  // Scrolls the box, and beyond its ends the history or what the program shows. Whether it did more
  // than the browser does by itself.
  #scroll(pixels, event) {
    const { box, screen } = this;
    const { height, full, mouse } = this.#has;
    const up = pixels < 0;
    const below = box.scrollHeight - box.clientHeight - box.scrollTop > 1;
    this.#follows = this.#top === null && !up && !below;
    if (up ? box.scrollTop > 0 : this.#top === null && below) return false;
    const row = screen.offsetHeight / height;
    const count = Math.trunc((this.#turned + pixels) / row);
    this.#turned += pixels - count * row;
    if (!mouse && full !== "1") this.#turn(count);
    const wheel = { type: "wheel", deltaY: pixels };
    for (let turn = 0; turn < Math.min(Math.abs(count), MOST_KEYS); turn++)
      if (mouse) this.#send("text", mouseOf(wheel, this.#has, ...this.#cell(event)), false);
      else if (full === "1") this.#send("key", up ? "Up" : "Down");
    return true;
  }

  // Shows the history, or again the screen, `count` rows further down.
  #turn(count) {
    this.#scrollTo(this.#first + count);
  }

  get #first() {
    return this.#top ?? Number(this.#has.history);
  }

  #scrollTo(row) {
    const top = row < this.#has.history ? Math.max(row, 0) : null;
    if (top !== this.#top) this.#look(top);
    else this.#draw({});
  }

  // Column and row of an event, from 1 on.
  #cell({ clientX, clientY }) {
    const { width, height } = this.#has;
    const place = this.screen.getBoundingClientRect();
    const column = Math.ceil(((clientX - place.left) / place.width) * width);
    const row = Math.ceil(((clientY - place.top) / place.height) * height);
    return [Math.min(Math.max(column, 1), width), Math.min(Math.max(row, 1), height)];
  }

  // Whether the program in front gets it. With Shift the mouse selects, as everywhere.
  #isPrograms({ shiftKey, target }) {
    return this.#has.mouse && !shiftKey && this.#top === null && !target.closest("a");
  }

  // Tells the program of the mouse, if it asked for that.
  #point(event) {
    const { type } = event;
    if (type === "mousedown") this.textarea.classList.remove("menu");
    if (type === "mouseup" && this.#selection.isCollapsed) this.#focus();
    if (!this.#isPrograms(event)) return;
    event.preventDefault(); // else it selects
    const text = mouseOf(event, this.#has, ...this.#cell(event));
    const moves = type === "mousemove";
    if (text && !(moves && text === this.#pointed)) this.#send("text", text, !moves);
    this.#pointed = text;
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
    const input = this.textarea;
    const text = input.value.replaceAll(EMPTY, "");
    this.#typedAt = Date.now();
    input.value = EMPTY;
    input.style.width = "";
    input.classList.remove("menu");
    const ctrl = this.keys.firstChild;
    const control = ctrl.ariaPressed === "true" && /^[!-~]$/.test(text);
    ctrl.ariaPressed = false;
    const key = control ? `C-${text.toLowerCase()}` : REPORTED[how];
    if (key) this.#send("key", key);
    else if (text) this.#send(how === "insertFromPaste" ? "paste" : "text", text);
  }

  #key(event) {
    const { key, ctrlKey, shiftKey, metaKey, isComposing, keyCode } = event;
    if (metaKey || /^(Control|Shift|Alt|AltGraph|CapsLock)$/.test(key)) return;
    this.#typedAt = Date.now();
    const copies = ctrlKey && /^(c|insert)$/i.test(key) && !this.#selection.isCollapsed;
    if (copies && shiftKey && document.execCommand("copy")) event.preventDefault();
    if (copies) return;
    this.#focus(); // a selection has taken it
    const name = nameOf(event, this.#has.full === "1");
    const finds = ctrlKey && shiftKey && /^f$/i.test(key);
    if (!(name || finds) || isComposing || keyCode === 229) return; // the browser's
    event.preventDefault();
    const page = { PageUp: -1, PageDown: 1 }[key];
    const end = { Home: 0, End: Infinity }[key];
    if (ctrlKey && (key === "F6" || (key === "Escape" && shiftKey))) this.#leave();
    else if (finds) this.find.focus();
    else if (shiftKey && page) this.#turn(page * (this.#has.height - 1));
    else if (shiftKey && end !== undefined && this.#has.full !== "1") this.#scrollTo(end);
    else this.#send("key", name);
  }

  // Gives the focus to what had it before.
  #leave() {
    const places = [this.#back, document.querySelector("#chat-input"), this.fit];
    places.find((place) => place?.checkVisibility(SEEN))?.focus();
  }

  // A bundle is sent when the last one has arrived, so that the keys stay in order. Without a kind
  // nothing is typed. `owns`: the terminal is to have this page's size.
  async #send(kind, value, owns = true) {
    const { pane, owner } = this.#has; // what was visible when the key was typed
    const seen = this.checkVisibility(SEEN);
    if (seen && !pane && !this.card.hidden) return this.show(); // any key starts the session
    if (!seen || !pane) return this.say(UNSEEN);
    if (kind) this.#follows = true;
    if (kind && this.#top !== null) this.#look(null);
    const items = kind ? [[kind, value]] : [];
    const last = this.#queue.slice(1).at(-1); // the first is on its way
    const takes = owns && this.#fits && owner !== String(this.#page);
    const text = last?.items.at(-1);
    if (last?.pane === pane && kind === "text" && text?.[0] === kind) text[1] += value;
    else if (last?.pane === pane) last.items.push(...items);
    else this.#queue.push({ pane, items, owns: takes ? this.#page : 0 });
    if (this.#queue.length > 1) return;
    while (this.#queue.length) {
      const reply = await this.ask("tmux_type", this.#queue[0]).catch(() => null);
      this.#queue = reply ? this.#queue.slice(1) : []; // sent again they might arrive twice
      const refused = reply?.refused ? `not typed: ${reply.refused}` : "";
      this.say(reply ? refused || (value === "C-v" ? PASTES : "") : "the last keys may be lost");
    }
  }
}

// `ask(event, data)`: sends a request to the server; a promise of the reply.
export function define(ask) {
  TmuxTerminal.prototype.ask = ask;
  customElements.get("tmux-terminal") || customElements.define("tmux-terminal", TmuxTerminal);
}
