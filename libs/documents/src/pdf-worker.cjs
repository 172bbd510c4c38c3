// The thread that reads one PDF: in { content, bounds }, out { result: the text of each page } or { failure }.
const { parentPort, workerData } = require('node:worker_threads');
const { getDocumentProxy } = require('unpdf');

/** @import { MessagePort } from 'node:worker_threads' */
/** @import { DocumentBounds } from './document-bounds' */

const port = /** @type {MessagePort} */ (parentPort);

readPages(workerData).then(
  (result) => port.postMessage({ result }),
  (error) => port.postMessage({ failure: failureOf(error) }),
);

/** @param {{ readonly content: Uint8Array, readonly bounds: DocumentBounds }} order */
async function readPages({ content, bounds }) {
  const document = await getDocumentProxy(new Uint8Array(content), { verbosity: 0 });
  if (document.numPages > bounds.pages) {
    throw new Error(`The PDF has ${document.numPages} pages; the limit is ${bounds.pages}.`);
  }
  const pages = [];
  let characters = 0;
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const text = pageText((await page.getTextContent()).items);
    page.cleanup();
    characters += text.length;
    if (characters > bounds.characters) {
      throw new Error(`The PDF contains more than ${bounds.characters} characters of text.`);
    }
    pages.push(text);
  }
  return pages;
}

/** @param {readonly ({ readonly str: string, readonly hasEOL: boolean } | { readonly type: string })[]} items */
function pageText(items) {
  return items
    .filter((item) => 'str' in item)
    .map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str))
    .join('')
    .trimEnd();
}

/** @param {any} error Of the library, or any other. */
function failureOf(error) {
  if (error?.name === 'PasswordException') return 'The PDF is protected by a password.';
  if (error?.name === 'InvalidPDFException') return 'The file is not a PDF, or it is damaged.';
  return String(error?.message ?? error);
}
