// The thread that writes one workbook: in { content: rows }, out { result: bytes } or { failure }. A cell is a text, a
// number, a boolean, or null if empty.
const { parentPort, workerData } = require('node:worker_threads');
const { strToU8, zipSync } = require('fflate');

/** @import { MessagePort } from 'node:worker_threads' */

/** @typedef {string | number | boolean | null} Cell */

const port = /** @type {MessagePort} */ (parentPort);

try {
  port.postMessage({ result: writeSheet(workerData.content) });
} catch (error) {
  port.postMessage({ failure: error instanceof Error ? error.message : String(error) });
}

/**
 * Returns rows as a workbook with one sheet.
 * @param {readonly (readonly Cell[])[]} rows
 */
function writeSheet(rows) {
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
  const schemas = 'http://schemas.openxmlformats.org';
  const office = `${schemas}/officeDocument/2006/relationships`;
  const main = `${schemas}/spreadsheetml/2006/main`;
  const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const relations = `<Relationships xmlns="${schemas}/package/2006/relationships">`;
  const lines = rows.map((row, index) => `<row r="${index + 1}">${row.map(cellXml).join('')}</row>`);
  const parts = {
    '[Content_Types].xml':
      `<Types xmlns="${schemas}/package/2006/content-types">` +
      '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/>` +
      `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
    '_rels/.rels': `${relations}<Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/_rels/workbook.xml.rels': `${relations}<Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData></worksheet>`,
  };
  return zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(head + xml)])),
    { level: 6 },
  );
}

/** @param {Cell} value */
function cellXml(value) {
  if (value === null) return '<c/>';
  if (typeof value === 'number') return `<c><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(value)}</t></is></c>`;
}

/**
 * XML cannot contain control characters and unpaired surrogates.
 * @param {string} text
 */
function escaped(text) {
  return text
    .toWellFormed()
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
