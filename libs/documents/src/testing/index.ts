export { makePdf } from './make-pdf';
export { makeTar } from './make-tar';
export { makeWorkbook } from './make-workbook';
export { makeWordDocument } from './make-word-document';
export { makeZip } from './make-zip';
