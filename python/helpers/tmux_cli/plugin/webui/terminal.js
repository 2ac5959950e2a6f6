// <tmux-terminal>: draws the frames of a tmux pane that the server sends, and sends it keys.
import { nameOf } from "./keys.js";
import { isFull, linked } from "./links.js";
import { mouseOf } from "./mouse.js";

const AGAIN = 1000; // milliseconds until the next request to a lost server
const WATCHED = 100; // milliseconds until the next look whether it can be seen
const CALM = 1000; // milliseconds without a key, after which a hidden terminal lets the focus go
const SETTLED = 250; // milliseconds without another size, or row
const HELD = 500; // milliseconds until a finger that rests is offered to paste
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
const UNSEEN = "not typed: the screen could not be seen";
const PASTES = "Ctrl+V went to the program: Ctrl+Shift+V pastes";
const PARTS = await (await fetch(new URL("terminal.html", import.meta.url))).text();

// Text of the terminal is never taken as HTML.
const make = (tag, textContent = "", more = {}) =>
  Object.assign(document.createElement(tag), { textContent, ...more });
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const drawn = ([text, style, href]) =>
  href ? make("a", text, { style, href, target: "_blank" }) : make("span", text, { style });
const set = (style, values) => {
  for (const [name, value] of Object.entries(values))
    if (style.getPropertyValue(name) !== String(value)) style.setProperty(name, value);
};
const emptyRow = () => make("div", "", { role: "listitem" });
const touched = () => matchMedia("(pointer: coarse)").matches;
const isLight = () =>
  document.body.matches(".light-mode") ||
  (!document.body.matches(".dark-mode") && matchMedia("(prefers-color-scheme: light)").matches);

class TmuxTerminal extends HTMLElement {
  #page = Math.floor(Math.random() * 2 ** 48); // its next request replaces the one that waits
  #has = { height: 0, history: 0 }; // what is shown
  #wanted = "";
  #top = null; // the first row to show, counted from the oldest one; null: the screen's
  #number = 0; // of the frame shown; 0: of another pane, or place
  #shown = 0; // the first row shown
  #from = 0; // the first row in the page, see #rowsFrom
  #goal = null; // the row that is scrolled to in steps
  #pulls = 0; // rows to scroll until the next look whether it can be seen
  #scrolled = 0; // pixels at which the scroll bar stood
  #found = -1; // a row
  #turned = 0; // pixels by which the wheel was turned, less than a row
  #follows = true; // whether the cursor is scrolled to
  #queue = []; // of { pane, items, owns, life }
  #early = []; // keys of before the first frame
  #lost = ""; // why keys were lost
  #opens = false; // when it is visible it gets the focus, and the session is started
  #seen = false;
  seenAt = 0; // milliseconds
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
    root.querySelector("link").href = new URL("terminal.css", import.meta.url);
    for (const part of root.querySelectorAll("[id]")) this[part.id] = part;
    this.#listen(this.input);
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
    this.input.focus({ preventScroll: true });
  }

  #later(name, action, after = SETTLED) {
    clearTimeout(this.#timers[name]);
    this.#timers[name] = setTimeout(action, after);
  }

  // The host hides the terminal, behind another tab too, and tells nobody.
  #watch() {
    this.toggleAttribute("light", isLight());
    if (this.#pulls && this.#has.top === this.#top) this.#scrollTo(this.#first + this.#pulls);
    const seen = this.checkVisibility(SEEN);
    if (seen) this.#seen = true;
    if (seen) this.seenAt = Date.now();
    if (seen || !this.#seen || this.#opens) return;
    if (Date.now() - this.#typedAt < CALM) return; // the rest of a password is not for the chat
    this.#seen = false;
    if ([document.body, this].includes(document.activeElement)) this.#leave();
  }

  // Shows what comes from now on, from the row `top` on; `goal`: where it scrolls to.
  async #look(top, goal = null) {
    const life = ++this.#life;
    this.#top = top;
    this.#goal = goal;
    this.#number = 0;
    const over = () => life !== this.#life || !this.isConnected;
    while (!over()) {
      // A hidden tab keeps its size: browsers let it ask once a second, or once a minute. While keys
      // are on their way their answers have what is new.
      do await (document.hidden ? pause(WATCHED) : new Promise(requestAnimationFrame));
      while (this.#queue.some((one) => one.life === life));
      while (!over() && !this.checkVisibility(SEEN)) await pause(WATCHED);
      if (over()) return;
      const start = this.#opens;
      if (start) this.#focus();
      const size = this.#fits ? this.#room : [];
      const chat = globalThis.getContext?.() ?? ""; // the host's id of the open one
      const asked = { ...this.#place, size, start, chat };
      const frame = await this.ask("tmux_look", asked).catch(() => LOST);
      if (over()) return;
      this.#came(frame);
      this.#opens = start && !this.#number && document.activeElement === this;
      if (frame.refused) await pause(AGAIN);
    }
  }

  // What is looked at, and what is known of it.
  get #place() {
    return { page: this.#page, pane: this.#wanted, top: this.#top, have: this.#number };
  }

  // Draws a frame, unless a newer one is shown.
  #came(frame) {
    if (frame.refused) this.#number = 0;
    if (frame.refused) this.#draw({ say: frame.refused });
    if (!(frame.number > this.#number)) return;
    this.#number = frame.number;
    this.#draw({ ...frame, ...this.#moved(frame), top: this.#top });
  }

  // All rows. Those shown have moved up by as many as the history has grown. Of one that differs
  // came its runs, or the text of one whose style stays.
  #moved(frame) {
    const shown = this.#has;
    const { history, height } = { ...shown, ...frame };
    const up = history - shown.history;
    const row = (at) => (at < shown.height ? shown[at] : undefined); // others are of a higher window
    return Array.from({ length: height }, (_, at) => {
      const old = row(at + up) ?? row(at) ?? [];
      const now = (run, n) => (Array.isArray(run) ? run : [run, ...old[n].slice(1)]);
      return frame[at]?.map(now) ?? old;
    });
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
    const { top, height, width, x, y, pane, cursor, history, full } = this.#has;
    const all = ({ history, height }) => Number(history) + Number(height);
    const shrank = all(this.#has) < all(before);
    const same = !shrank && pane === before.pane && width === before.width;
    if (!same && this.#selects) this.#selection.removeAllRanges(); // its rows have other numbers
    if (this.#top !== null && shrank) return this.#look(this.#slid());
    const { box, input, screen, scroll, select } = this;
    this.#shown = top ?? Number(history);
    const shown = this.#rowsFrom(this.#shown);
    const runs = shown.map((_, at) => this.#has[at] ?? []);
    for (const [at, row] of linked(runs, width).entries()) {
      const element = shown[at];
      element.className = this.#shown + at === this.#found ? "found" : "";
      const goesOn = full !== "1" && isFull(row, width);
      const shows = JSON.stringify([row, goesOn]);
      if (element.shows === shows) continue;
      element.shows = shows;
      element.replaceChildren(...row.map(drawn), goesOn ? "" : "\n");
      if (height === before.height && this.#top === null) this.#read(this.#shown + at);
    }
    if (this.#pulls < 0) this.#selection.extend(shown[0], 0);
    if (this.#pulls > 0) this.#selection.extend(shown.at(-1), shown.at(-1).childNodes.length);
    if (frame.panes) {
      const options = frame.panes.map(([value, label]) => make("option", label, { value }));
      select.replaceChildren(...options, make("option", "New window", { value: "new" }));
    }
    select.value = pane;
    // Where it is the same the browser computes no style anew: a screen has thousands of runs.
    set(screen.style, { "--columns": width, "--rows": height });
    set(input.style, { "--x": x, "--y": y, opacity: +(cursor === "1" && this.#top === null) });
    // Else it was just moved; asked first, since a lower height moves it too (tmux drops rows).
    const isOurs = Math.abs(scroll.scrollTop - this.#scrolled) < 1;
    set(scroll.firstChild.style, { height: `calc(100% + ${history * NOTCH}px)` });
    if (isOurs && this.#goal === null) scroll.scrollTop = this.#first * NOTCH;
    if (isOurs) this.#scrolled = scroll.scrollTop; // rounded
    if ((frame.x || frame.y) && this.#top === null && this.#follows) {
      const fits = input.offsetTop + input.offsetHeight <= box.clientHeight;
      box.scrollTo(0, fits ? 0 : box.scrollTop); // what is above and left of the cursor is visible
      input.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    if (this.#goal !== null && top === this.#top) this.#scrollTo(this.#goal);
    this.say();
    const early = this.#early.splice(0);
    if (early.length && !pane) this.say(UNSEEN);
    else for (const key of early) this.#send(...key);
  }

  // The elements of the rows shown. While something is selected those that were shown before stay,
  // without height, as long as none is missing in between: the browser then copies them too.
  #rowsFrom(first) {
    const { rows } = this;
    const end = first + Number(this.#has.height);
    const joins = first <= this.#from + rows.childElementCount && this.#from <= end;
    if (!(this.#selects && joins)) {
      if (this.#selects) this.#selection.removeAllRanges();
      for (; joins && this.#from < first; this.#from += 1) rows.firstChild.remove();
      this.#from = first;
      while (rows.childElementCount > end - first) rows.lastChild.remove();
    }
    for (; this.#from > first; this.#from -= 1) rows.prepend(emptyRow());
    while (this.#from + rows.childElementCount < end) rows.append(emptyRow());
    for (const row of rows.children) row.className = "kept";
    return [...rows.children].slice(first - this.#from, end - this.#from);
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
      const texts = numbers.map((at) => this.rows.children[at - this.#from]?.textContent.trim());
      const types = Date.now() - this.#typedAt < CALM;
      const typed = Number(this.#has.history) + Number(this.#has.y);
      if (!types || numbers.some((at) => at !== typed))
        this.live.textContent = texts.filter(Boolean).join("\n");
      this.#unread.clear();
    });
  }

  say(lost = this.#lost) {
    const { say, history, mode, fits } = this.#has;
    let hint = fits || (touched() ? "" : "Ctrl+F6 leaves the terminal");
    if (mode === "1") hint = "an attached terminal is scrolled back: a key here ends that";
    if (this.#top !== null) hint = `${history - this.#top} rows back`;
    this.#lost = lost;
    this.note.textContent = lost || document.body.dataset.tmuxAsked || hint;
    this.fit.ariaPressed = this.#fits && !fits;
    this.screen.style.opacity = say ? 0.4 : 1;
    this.card.hidden = !say;
    if (this.card.textContent !== say) this.card.textContent = say; // set again it is read again
  }

  #listen(input) {
    const { bar, box, card, find, fit, keys, paste, scroll, select } = this;
    select.onchange = async () => {
      const opened = select.value === "new" && (await this.ask("tmux_open", {}).catch(() => LOST));
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
      this.#scrolled = scroll.scrollTop;
      if (moved) this.#scrollTo(Math.round(scroll.scrollTop / NOTCH));
    };
    keys.onpointerdown = (event) => event.preventDefault(); // the input keeps the focus
    keys.onclick = ({ target }) => {
      if (target.value === "Paste") this.#paste();
      else if (target.value) this.#send("key", target.value);
      else if (target !== keys) target.ariaPressed = target.ariaPressed !== "true"; // Ctrl
    };
    box.onwheel = (event) => {
      if (!event.ctrlKey && this.#scroll(event.deltaY, event)) event.preventDefault();
    };
    let touch = 0; // where, in pixels
    box.ontouchstart = ({ touches: [{ clientY }] }) => {
      touch = clientY;
      paste.hidden = true;
      paste.style.top = `${clientY - this.getBoundingClientRect().top}px`;
      this.#later("rests", () => (paste.hidden = Math.abs(touch - clientY) > NOTCH), HELD);
    };
    box.ontouchend = () => clearTimeout(this.#timers.rests);
    box.ontouchmove = (event) => {
      const now = event.touches[0].clientY;
      if (this.#scroll(touch - now, event.touches[0])) event.preventDefault();
      touch = now;
    };
    box.onpointerdown = ({ target, pointerId }) =>
      target.closest("a") || box.setPointerCapture(pointerId);
    for (const name of ["mousedown", "mousemove", "mouseup"])
      box.addEventListener(name, (event) => this.#point(event));
    box.oncontextmenu = (event) => {
      if (this.#isPrograms(event)) event.preventDefault();
      else if (!this.#selects && !touched()) {
        const { left, top } = this.screen.getBoundingClientRect();
        input.style.setProperty("--left", `${event.clientX - left}px`);
        input.style.setProperty("--top", `${event.clientY - top}px`);
        input.classList.add("menu"); // there the browser's menu can paste
        this.#focus();
      }
    };
    box.oncopy = (event) => {
      event.preventDefault();
      const text = this.#selection.getRangeAt(0).toString().replace(/ *\n/g, "\n");
      event.clipboardData.setData("text/plain", text.replace(/\n$/, ""));
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
    const sought = { pane: this.#has.pane, text: this.find.value };
    const { rows, refused } = await this.ask("tmux_find", sought).catch(() => LOST);
    const from = this.#found < 0 ? this.#first + Number(this.#has.height) : this.#found;
    const next = below ? rows?.find((row) => row > from) : rows?.findLast((row) => row < from);
    this.say(next === undefined ? (refused ?? "not found") : "");
    this.#found = next ?? this.#found;
    if (next !== undefined) this.#scrollTo(next - Math.floor(this.#has.height / 2));
  }

  async #paste() {
    this.paste.hidden = true;
    const read = await navigator.clipboard?.readText().catch(() => null); // if the browser lets us
    const text = read ?? prompt("Paste here");
    if (text) this.#send("paste", text);
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
    if (!mouse && full !== "1") this.#scrollTo(this.#first + count);
    const wheel = { type: "wheel", deltaY: pixels };
    for (let turn = 0; turn < Math.min(Math.abs(count), MOST_KEYS); turn++)
      if (mouse) this.#send("text", mouseOf(wheel, this.#has, ...this.#cell(event)), false);
      else if (full === "1") this.#send("key", up ? "Up" : "Down");
    return true;
  }

  // The first row that is to be shown.
  get #first() {
    return this.#top ?? Number(this.#has.history);
  }

  // Shows the history from that row on, or again the screen. While something is selected it goes
  // there in steps, so that no row is left out.
  #scrollTo(row) {
    const { height, history } = this.#has;
    const goal = Math.max(0, Math.min(row, history));
    const step = Math.max(-height, Math.min(goal - this.#shown, height));
    const next = this.#selects ? this.#shown + step : goal;
    const top = next < history ? next : null;
    this.#goal = next === goal ? null : goal;
    if (top !== this.#top) this.#look(top, this.#goal);
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
    if (type === "mousedown") this.input.classList.remove("menu");
    if (type === "mouseup" && this.#pulls) this.#draw({});
    if (type === "mouseup" && !this.#selects) this.#focus();
    const { top, bottom } = this.box.getBoundingClientRect();
    const beyond = Math.min(event.clientY - top, 0) + Math.max(event.clientY - bottom, 0);
    const selects = event.buttons === 1 && this.#selects && this.#has.full !== "1";
    this.#pulls = selects ? Math.round(beyond / NOTCH) : 0; // the more the further
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

  // Whether a part of the terminal's text is selected.
  get #selects() {
    const { anchorNode, isCollapsed } = this.#selection;
    return !isCollapsed && this.rows.contains(anchorNode);
  }

  // `how`: the type of the input event.
  #typed(how) {
    const { input, keys } = this;
    const text = input.value.replaceAll(EMPTY, "");
    this.#typedAt = Date.now();
    input.value = EMPTY;
    input.style.width = "";
    input.classList.remove("menu");
    const ctrl = keys.firstElementChild;
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
    const copies = ctrlKey && /^(c|insert)$/i.test(key) && this.#selects;
    if (copies && shiftKey && document.execCommand("copy")) event.preventDefault();
    if (copies) return;
    const inFull = this.#has.full === "1";
    const page = this.#has.height - 1;
    const pages = { PageUp: this.#first - page, PageDown: this.#first + page };
    const ends = inFull ? {} : { Home: 0, End: Infinity };
    const row = shiftKey ? { ...pages, ...ends }[key] : undefined; // to scroll to
    if (row === undefined) this.#focus(); // a selection has taken it
    const name = nameOf(event, inFull);
    const finds = ctrlKey && shiftKey && /^f$/i.test(key);
    if (!(name || finds) || isComposing || keyCode === 229) return; // the browser's
    event.preventDefault();
    if (ctrlKey && (key === "F6" || (key === "Escape" && shiftKey))) this.#leave();
    else if (finds) this.find.focus();
    else if (row !== undefined) this.#scrollTo(row);
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
    const starts = !this.card.hidden && !this.#opens; // any key starts the session
    if (seen && !pane && starts) return this.show();
    if (seen && !pane) return this.#early.push([kind, value]);
    if (!seen) return this.say(UNSEEN);
    if (kind) this.#follows = true;
    if (kind && this.#top !== null) this.#look(null);
    const items = kind ? [[kind, value]] : [];
    const last = this.#queue.slice(1).at(-1); // the first is on its way
    const takes = owns && this.#fits && owner !== String(this.#page);
    if (last?.pane === pane) last.items.push(...items);
    else this.#queue.push({ pane, items, owns: takes ? this.#page : 0, life: this.#life });
    if (this.#queue.length > 1) return;
    while (this.#queue.length) {
      const life = this.#life;
      const typed = { ...this.#queue[0], look: this.#place };
      const reply = await this.ask("tmux_type", typed).catch(() => null);
      this.#queue = reply ? this.#queue.slice(1) : []; // sent again they might arrive twice
      if (reply && !reply.refused && life === this.#life) this.#came(reply);
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
