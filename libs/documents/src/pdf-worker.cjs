// The thread that reads one PDF: in { content, bounds }, out { result: the text of each page } or { failure }.
const { parentPort, workerData } = require('node:worker_threads');
const { getDocumentProxy } = require('unpdf');

readPages(workerData).then(
  (result) => parentPort.postMessage({ result }),
  (error) => parentPort.postMessage({ failure: failureOf(error) }),
);

async function readPages({ content, bounds }) {
  const document = await getDocumentProxy(new Uint8Array(content), {
    verbosity: 0,
    isEvalSupported: false,
  });
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

function pageText(items) {
  return items
    .filter(({ str }) => str !== undefined)
    .map(({ str, hasEOL }) => (hasEOL ? `${str}\n` : str))
    .join('')
    .trimEnd();
}

function failureOf(error) {
  if (error?.name === 'PasswordException') return 'The PDF is protected by a password.';
  if (error?.name === 'InvalidPDFException') return 'The file is not a PDF, or it is damaged.';
  return String(error?.message ?? error);
}
