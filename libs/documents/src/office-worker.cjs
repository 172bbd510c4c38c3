// The thread that reads one Office document, which is XML in a ZIP archive:
//    in   { task: 'read-word' | 'read-sheet', content: bytes, bounds }
//    out  { result } or { failure }
// The result of a Word document is the texts of its paragraphs, that of a spreadsheet the rows of its first sheet; a
// cell is a text, a boolean, null if empty, { integer } or { float }.
const { parentPort, workerData } = require('node:worker_threads');
const { SaxesParser } = require('saxes');
const { strFromU8, unzipSync } = require('fflate');

const tasks = { 'read-word': readWord, 'read-sheet': readSheet };

try {
  const { task, content, bounds } = workerData;
  parentPort.postMessage({ result: tasks[task](content, bounds) });
} catch (error) {
  parentPort.postMessage({ failure: String(error?.message ?? error) });
}

/** Returns the requested parts of a document, as texts by name. */
function partsOf(content, isWanted, { unpackedBytes }) {
  let bytes = 0;
  let parts;
  try {
    parts = unzipSync(new Uint8Array(content), {
      filter: ({ name, originalSize }) => {
        if (!isWanted(name)) return false;
        bytes += originalSize;
        return bytes <= unpackedBytes;
      },
    });
  } catch {
    throw new Error('The file is not an Office document, or it is damaged.');
  }
  if (bytes > unpackedBytes) throw new Error(`The document contains more than ${unpackedBytes} bytes.`);
  return new Map(Object.entries(parts).map(([name, part]) => [name, strFromU8(part)]));
}

/** Parses a part; names are without their prefixes. `open` receives the names of the enclosing elements. */
function walk(xml, { open = () => undefined, close = () => undefined, text = () => undefined }) {
  const parser = new SaxesParser({ xmlns: true });
  const around = [];
  parser.on('error', (error) => {
    throw new Error(`The document is damaged: ${error.message}`);
  });
  parser.on('opentag', ({ local, attributes }) => {
    const values = Object.fromEntries(Object.values(attributes).map((given) => [given.local, given.value]));
    open(local, values, around);
    around.push(local);
  });
  parser.on('closetag', ({ local }) => {
    around.pop();
    close(local, around);
  });
  parser.on('text', (given) => text(given, around));
  parser.on('cdata', (given) => text(given, around));
  parser.write(xml).close();
}

/** Returns the paragraphs directly in the body: not those of tables, text boxes, headers and notes. */
function readWord(content, bounds) {
  const name = 'word/document.xml';
  const xml = partsOf(content, (part) => part === name, bounds).get(name);
  if (xml === undefined) throw new Error('The file is not a Word document.');
  const paragraphs = [];
  let paragraph = null;
  let characters = 0;
  const add = (text) => {
    if (paragraph === null) return;
    characters += text.length;
    if (characters > bounds.characters) {
      throw new Error(`The document contains more than ${bounds.characters} characters of text.`);
    }
    paragraph += text;
  };
  const isInBox = (around) => around.includes('txbxContent');
  const marks = { tab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' };
  walk(xml, {
    open: (element, attributes, around) => {
      if (element === 'p' && around.at(-1) === 'body') paragraph = '';
      const isBreakOfPage = element === 'br' && (attributes.type ?? 'textWrapping') !== 'textWrapping';
      if (around.at(-1) === 'r' && Object.hasOwn(marks, element) && !isBreakOfPage && !isInBox(around)) {
        add(marks[element]);
      }
    },
    close: (element, around) => {
      if (element !== 'p' || around.at(-1) !== 'body') return;
      paragraphs.push(paragraph);
      paragraph = null;
    },
    text: (text, around) => {
      if (around.at(-1) === 't' && !isInBox(around)) add(text);
    },
  });
  return paragraphs;
}

function readSheet(content, bounds) {
  const parts = partsOf(content, (name) => /^xl\/.*\.(xml|rels)$/.test(name), bounds);
  const workbook = readWorkbook(parts);
  const sheet = parts.get(workbook.firstSheet);
  if (sheet === undefined) throw new Error('The file is not a spreadsheet, or it contains no sheet.');
  const texts = readSharedTexts(parts.get('xl/sharedStrings.xml'));
  const dateStyles = readDateStyles(parts.get('xl/styles.xml'));
  const rows = [];
  let row = [];
  let cells = 0;
  let cell = null;
  walk(sheet, {
    open: (element, attributes) => {
      if (element === 'row') {
        row = [];
        const number = Number(attributes.r) || rows.length + 1;
        if (number > bounds.cells) throw tooManyCells(bounds);
        rows[number - 1] = row;
      }
      if (element === 'c')
        cell = { type: attributes.t ?? 'n', style: attributes.s, place: attributes.r, text: '' };
    },
    text: (text, around) => {
      const isRichText = around.at(-1) === 't' && !around.includes('rPh');
      if (cell !== null && (around.at(-1) === 'v' || isRichText)) cell.text += text;
    },
    close: (element) => {
      if (element !== 'c' || cell === null) return;
      const column = columnOf(cell.place) ?? row.length;
      cells += Math.max(1, column + 1 - row.length);
      if (cells > bounds.cells) throw tooManyCells(bounds);
      row[column] = valueOf(cell, { texts, dateStyles, startsIn1904: workbook.startsIn1904 });
      cell = null;
    },
  });
  return withoutEmptyEnd(Array.from(rows, (given) => Array.from(given ?? [], (value) => value ?? null)));
}

function tooManyCells({ cells }) {
  return new Error(`The sheet has more than ${cells} cells.`);
}

function readWorkbook(parts) {
  const targets = new Map();
  walk(parts.get('xl/_rels/workbook.xml.rels') ?? '<none/>', {
    open: (element, { Id, Target }) => {
      if (element === 'Relationship') targets.set(Id, Target);
    },
  });
  let firstSheet = null;
  let startsIn1904 = false;
  walk(parts.get('xl/workbook.xml') ?? '<none/>', {
    open: (element, attributes) => {
      if (element === 'sheet') firstSheet ??= targets.get(attributes.id) ?? null;
      if (element === 'workbookPr') startsIn1904 = ['1', 'true'].includes(attributes.date1904);
    },
  });
  const place = firstSheet ?? 'worksheets/sheet1.xml';
  return { firstSheet: place.startsWith('/') ? place.slice(1) : `xl/${place}`, startsIn1904 };
}

function readSharedTexts(xml = '<none/>') {
  const texts = [];
  walk(xml, {
    open: (element) => {
      if (element === 'si') texts.push('');
    },
    text: (text, around) => {
      if (around.at(-1) === 't' && !around.includes('rPh')) texts[texts.length - 1] += text;
    },
  });
  return texts;
}

/** Returns the numbers of the styles that show a number as a date. */
function readDateStyles(xml = '<none/>') {
  const dateFormats = new Set(['14', '15', '16', '17', '18', '19', '20', '21', '22', '45', '46', '47']);
  const styles = [];
  walk(xml, {
    open: (element, { numFmtId, formatCode }, around) => {
      // Quoted texts, colours and conditions in brackets, and escaped characters are not part of a date format.
      const code = (formatCode ?? '').replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, '');
      if (element === 'numFmt' && /[dmyhs]/i.test(code)) dateFormats.add(numFmtId);
      if (element === 'xf' && around.at(-1) === 'cellXfs') styles.push(dateFormats.has(numFmtId));
    },
  });
  return styles;
}

/** Returns the column of a cell reference such as "AB12", counted from 0; null when the cell has none. */
function columnOf(place) {
  const letters = /^[A-Z]{1,3}/.exec(place ?? '')?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function valueOf({ type, text, style }, { texts, dateStyles, startsIn1904 }) {
  switch (type) {
    case 's':
      return texts[Number(text)] ?? null;
    case 'inlineStr':
    case 'str':
      return text;
    case 'b':
      return text === '1' || text === 'true';
    case 'd':
      return text;
    case 'e':
      return null;
    default:
      if (text === '' || !Number.isFinite(Number(text))) return null;
      return dateStyles[Number(style)] === true ? dateOf(Number(text), startsIn1904) : numberOf(text);
  }
}

/** Integral numbers are integers, as in pandas. */
function numberOf(text) {
  const value = Number(text);
  return Number.isSafeInteger(value) ? { integer: value } : { float: value };
}

/**
 * Formats a date and time as Python does: `2024-01-31 08:30:00`. Days are counted from the end of 1899, with one too
 * many before March 1900.
 */
function dateOf(days, startsIn1904) {
  const start = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const moment = new Date(start + Math.round(days * 86_400) * 1_000);
  if (Number.isNaN(moment.getTime())) return null;
  return moment.toISOString().slice(0, 19).replace('T', ' ');
}

function withoutEmptyEnd(rows) {
  const last = rows.findLastIndex((row) => row.some((value) => value !== null));
  return rows.slice(0, last + 1);
}
