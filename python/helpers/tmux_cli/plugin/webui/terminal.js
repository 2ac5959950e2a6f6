// <tmux-terminal>: draws what the server says of a tmux pane, and sends it keys.
// Its property `ask(event, data)` is the way to the server and returns a promise of the reply.

import { drawn, make } from "./draw.js";
import { BUTTONS, keyed } from "./keys.js";

// How a phone's keyboard tells them.
const TOLD = { insertLineBreak: "Enter", deleteContentBackward: "BSpace" };
const AGAIN = 1000; // milliseconds until a lost server is asked again
const [SMALLEST, LARGEST] = [7, 16]; // pixels of a letter
const WHEEL = 3; // rows a notch
const EMPTY = "\u200b"; // in the input, so that a phone's keyboard has something to delete

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
const shown = () =>
  new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));

class TmuxTerminal extends HTMLElement {
  ask = null;
  #page = Math.floor(Math.random() * 2 ** 48); // its next question replaces the one that waits
  #has = { n: 0 }; // the frame that is drawn
  #wanted = "";
  #top = null; // the first row looked at, counted from the oldest one; null: the screen
  #queue = []; // of { pane, items }
  #sending = false;
  #lost = ""; // keys were, and why
  #life = 0; // of the loop that looks; a new one ends the old

  constructor() {
    super();
    this.choice = make("select", { title: "Pane", hidden: true });
    this.note = make("span", { className: "note" });
    this.question = make("div", { className: "ask", hidden: true });
    this.cursor = make("div", { className: "cursor", hidden: true });
    this.input = make("textarea", {
      autocapitalize: "off",
      autocomplete: "off",
      spellcheck: false,
      ariaLabel: "Terminal",
    });
    this.input.setAttribute("autocorrect", "off");
    this.lines = make("div");
    this.ruler = make("span", { className: "ruler" });
    this.screen = make(
      "div",
      { className: "screen" },
      this.ruler,
      this.lines,
      this.input,
      this.cursor,
    );
    this.box = make("div", { className: "box" }, this.screen);
    const keys = Object.entries(BUTTONS).map(([label, key]) =>
      make("button", {
        textContent: label,
        onpointerdown: (event) => event.preventDefault(),
        onclick: () => this.#send(key.length > 1 ? { key } : { text: key }),
      }),
    );
    const style = make("link", {
      rel: "stylesheet",
      href: new URL("terminal.css", import.meta.url).href,
    });
    style.onload = () => this.#fit();
    const bar = make("div", { className: "bar" }, this.choice, this.note, make("slot"));
    this.attachShadow({ mode: "open" }).append(
      style,
      bar,
      this.question,
      this.box,
      make("div", { className: "keys" }, ...keys),
    );
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

  focus() {
    this.input.focus({ preventScroll: true });
  }

  // Shows `pane`: an id, or a target as the agent writes it; "" for the one the session is at.
  show(pane) {
    this.#wanted = pane || "";
    this.#top = null;
    this.#look(++this.#life);
    this.focus();
  }

  // looking

  async #look(life) {
    while (life === this.#life) {
      if (document.hidden) await shown();
      let frame;
      try {
        frame = await this.ask("tmux_look", {
          pane: this.#wanted,
          top: this.#top,
          have: this.#has.n,
          page: this.#page,
        });
      } catch {
        frame = { refused: "reconnecting …" };
      }
      if (life !== this.#life) return;
      if (!frame.refused) this.#draw(frame);
      else {
        this.#has.n = 0; // another server may not know what is drawn
        this.#say(frame.refused);
        await sleep(AGAIN);
      }
    }
  }

  #draw({ rows = {}, ...head }) {
    const has = Object.assign(this.#has, head);
    if (head.size) {
      while (this.lines.childElementCount > has.size[1]) this.lines.lastChild.remove();
      while (this.lines.childElementCount < has.size[1])
        this.lines.append(make("div", { className: "row" }));
      this.#fit();
    }
    for (const [at, runs] of Object.entries(rows))
      this.lines.children[at].replaceChildren(...runs.map(drawn));
    if (head.panes) {
      this.choice.replaceChildren(
        ...head.panes.map(([value, textContent]) => make("option", { value, textContent })),
      );
      this.choice.hidden = head.panes.length < 2;
    }
    this.choice.value = has.pane;
    this.cursor.hidden = !has.cursor;
    if (head.cursor || head.size) this.#place(...(has.cursor ?? [0, 0]));
    this.#say(has.say);
  }

  #place(x, y) {
    for (const one of [this.cursor, this.input])
      Object.assign(one.style, { left: `${x}ch`, top: `${y * 1.25}em` });
    const { offsetTop, offsetHeight } = this.cursor;
    if (offsetTop < this.box.scrollTop) this.box.scrollTop = offsetTop;
    const below = offsetTop + 2 * offsetHeight - this.box.scrollTop - this.box.clientHeight;
    if (below > 0) this.box.scrollTop += below;
  }

  #say(text) {
    this.screen.classList.toggle("old", Boolean(text));
    const { top, history } = this.#has;
    const back = top == null ? "" : `${history - top} rows back`;
    this.note.textContent = this.note.title = text || this.#lost || back;
  }

  // The letters shrink until all columns fit; below the smallest size it scrolls.
  #fit() {
    const letter =
      this.ruler.getBoundingClientRect().width /
      100 /
      parseFloat(getComputedStyle(this.screen).fontSize);
    const all = (this.box.clientWidth - 14) / ((this.#has.size?.[0] ?? 80) * letter);
    const size = Math.min(LARGEST, Math.max(SMALLEST, Math.floor(all * 10) / 10));
    if (all > 0) this.screen.style.fontSize = `${size}px`;
    if (this.#has.cursor) this.#place(...this.#has.cursor);
  }

  #scroll(rows) {
    const { history, top } = this.#has;
    const next = Math.max((this.#top ?? top ?? history ?? 0) + rows, 0);
    const before = this.#top;
    this.#top = next < history ? next : null;
    if (this.#top !== before) this.#look(++this.#life);
  }

  // typing

  #listen() {
    const { input, box } = this;
    this.choice.onchange = () => this.show(this.choice.value);
    box.addEventListener("wheel", (event) => {
      const up = event.deltaY < 0;
      if (up ? box.scrollTop > 0 : this.#top === null) return; // the page's own scrolling
      event.preventDefault();
      this.#scroll(up ? -WHEEL : WHEEL);
    });
    box.addEventListener("mouseup", () => this.#selected() || this.focus());
    input.addEventListener("keydown", (event) => this.#key(event));
    input.addEventListener("beforeinput", (event) => {
      const key = TOLD[event.inputType];
      if (!key || event.isComposing) return;
      event.preventDefault();
      this.#send({ key });
    });
    input.addEventListener("input", (event) => event.isComposing || this.#typed());
    input.addEventListener("compositionstart", () => input.classList.add("composing"));
    input.addEventListener("compositionend", () => this.#typed());
    input.addEventListener("paste", (event) => {
      event.preventDefault();
      this.#paste(event.clipboardData.getData("text/plain"));
    });
    // The host's page has plans of its own for these.
    for (const name of ["keydown", "keyup", "keypress", "paste"])
      this.addEventListener(name, (event) => event.stopPropagation());
    input.value = EMPTY;
  }

  #typed() {
    const text = this.input.value.replaceAll(EMPTY, "");
    this.input.value = EMPTY;
    this.input.classList.remove("composing");
    if (text) this.#send({ text });
  }

  #key(event) {
    const { key, ctrlKey, shiftKey } = event;
    if (
      event.isComposing ||
      event.keyCode === 229 ||
      event.metaKey ||
      event.getModifierState("AltGraph")
    )
      return;
    if (shiftKey && /^Page/.test(key))
      this.#scroll((key === "PageUp" ? -1 : 1) * (this.#has.size[1] >> 1));
    else if (ctrlKey && (/^v$/i.test(key) || (/^c$/i.test(key) && (shiftKey || this.#selected()))))
      return; // copy, paste
    else {
      const item = keyed(event);
      if (!item) return; // text: the `input` event brings it
      this.#send(item);
    }
    event.preventDefault();
  }

  #selected() {
    return (this.shadowRoot.getSelection?.() ?? getSelection()).toString() !== "";
  }

  #paste(text) {
    text = text.replace(/\r\n?/g, "\n");
    const count = text.split("\n").length;
    const answer = (yes) => () => {
      this.question.hidden = true;
      if (yes) this.#send({ paste: text });
      this.focus();
    };
    if (count === 1 || this.#has.brackets) return answer(true)();
    const yes = make("button", { textContent: "Paste", onclick: answer(true) });
    const no = make("button", { textContent: "Cancel", onclick: answer(false) });
    this.question.replaceChildren(`Paste ${count} lines? Each may run as it comes.`, yes, no);
    this.question.onkeydown = (event) => {
      const button = { Enter: event.target, Escape: no }[event.key];
      if (!button) return;
      event.preventDefault();
      button.click();
    };
    this.question.hidden = false;
    yes.focus();
  }

  // The next bundle goes when the last has arrived: the order stays, whatever the line does.
  async #send(item) {
    const pane = this.#has.pane; // the one that was seen when it was typed
    if (this.#queue.at(-1)?.pane !== pane) this.#queue.push({ pane, items: [] });
    const { items } = this.#queue.at(-1);
    const last = items.at(-1);
    if (last?.text && item.text) last.text += item.text;
    else items.push(item);
    if (this.#top !== null) this.#scroll(Infinity);
    if (this.#sending) return;
    this.#sending = true;
    while (this.#queue.length) {
      try {
        const { refused } = await this.ask("tmux_type", this.#queue.shift());
        this.#lost = refused ? `not typed: ${refused}` : "";
      } catch {
        this.#queue = []; // typed again they might come twice
        this.#lost = "the last keys may be lost";
      }
      this.#say(this.#has.say);
    }
    this.#sending = false;
  }
}

customElements.get("tmux-terminal") || customElements.define("tmux-terminal", TmuxTerminal);
