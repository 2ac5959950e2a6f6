// Addresses in the text of rows become links.

// Brackets only in pairs: `A_(b)`, but not that of "(see http://…)".
const ADDRESS = /https?:\/\/(?:[^\s"'<>`()]|\([^\s"'<>`()]*\))*(?<=[\w/#=&)-])/g;

const cells = ([text, style]) => Number(/^width:(\d)/.exec(style)?.[1] ?? text.length);
export const isFull = (row, columns) => row.reduce((sum, run) => sum + cells(run), 0) >= columns;

// The rows, whose runs are split so that each part of an address leads to the whole. A row that is
// full goes on in the next one, whether tmux or a program has wrapped it.
export function linked(rows, columns) {
  const lines = [];
  for (const [at, row] of rows.entries())
    if (at && isFull(rows[at - 1], columns)) lines.at(-1).push(row);
    else lines.push([row]);
  return lines.flatMap(linkedLine);
}

function linkedLine(rows) {
  const text = rows.flat().map((run) => run[0]).join("");
  const addresses = []; // of each character that is in one
  for (const { index, 0: address } of text.matchAll(ADDRESS))
    addresses.push(...Array(index - addresses.length), ...Array(address.length).fill(address));
  let at = 0;
  const parted = ([whole, style, own]) => {
    const parts = [];
    for (const letter of whole.split("")) {
      const address = own ?? addresses[at];
      at += 1;
      if (parts.length && parts.at(-1)[2] === address) parts.at(-1)[0] += letter;
      else parts.push([letter, style, address]);
    }
    return parts;
  };
  return addresses.length ? rows.map((row) => row.flatMap(parted)) : rows;
}
