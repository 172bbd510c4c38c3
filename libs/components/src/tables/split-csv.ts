/** Cells of each line; quotes may hold commas, line ends and doubled quotes. Linear in the text. */
export function splitCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  const endCell = (): void => {
    row.push(cell);
    cell = '';
  };
  const endRow = (): void => {
    endCell();
    rows.push(row);
    row = [];
  };
  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text.charAt(offset);
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[offset + 1] === '"') {
        cell += '"';
        offset += 1;
      } else quoted = false;
    } else if (character === '"' && cell === '') quoted = true;
    else if (character === ',') endCell();
    else if (character === '\n') endRow();
    else if (character !== '\r' || text[offset + 1] !== '\n') cell += character;
  }
  if (cell !== '' || row.length > 0) endRow();
  return rows;
}
