/** @import { UploadedFile } from './client.mjs' */

/** @typedef {{ readonly words: string, readonly records: readonly object[] }} Content */

/** @type {readonly Content[]} */
const variants = [
  {
    words: 'The mill stands by the river. Water turns the wheel, and the wheel turns the stone.',
    records: [
      { name: 'Ada', city: 'London', amount: 3 },
      { name: 'Grace', city: 'New York', amount: 5 },
    ],
  },
  {
    words: 'The boat lies at the pier. Wind fills the sail, and the sail moves the hull.',
    records: [
      { name: 'Linus', city: 'Helsinki', amount: 8 },
      { name: 'Margaret', city: 'Boston', amount: 13 },
    ],
  },
];

/** @type {Readonly<Record<string, (content: Content) => string | Buffer>>} */
const samples = {
  txt: ({ words }) => words,
  md: ({ words }) => `# The mill\n\n${words}\n`,
  csv: ({ records }) =>
    ['name,city,amount', ...records.map((record) => Object.values(record).join(','))].join('\n'),
  json: ({ records }) => JSON.stringify(records),
  html: ({ words }) => `<!doctype html><title>The mill</title><p>${words}</p>`,
  xml: ({ words }) => `<mill><text>${words}</text></mill>`,
  yaml: ({ words }) => `text: ${words}\n`,
  pdf: ({ words }) => pdf(words),
  mp3: () => Buffer.from('ID3'),
};

/**
 * Returns a small document of the type that the extension of a path names, or a text for other extensions, as { name,
 * content }. Variants 0 and 1 have different contents.
 * @param {string} path
 * @param {number} [variant]
 * @returns {UploadedFile}
 */
export function sampleFile(path, variant = 0) {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? 'txt';
  const known = Object.hasOwn(samples, extension) ? extension : 'txt';
  return { name: `sample.${known}`, content: Buffer.from(samples[known](variants[variant])) };
}

/**
 * Returns a PDF with one page and one line of text.
 * @param {string} text
 */
function pdf(text) {
  const content = `BT /F1 12 Tf 40 700 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return `${body}xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`;
}
