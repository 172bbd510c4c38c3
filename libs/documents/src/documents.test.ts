import { deflateSync, gzipSync } from 'node:zlib';
import { PythonFloat } from '@millrace/python-text';
import {
  decodeText,
  textEncoding,
  documentBounds,
  readPdf,
  readSheet,
  readWord,
  readYaml,
  reserializeXml,
  unpackArchive,
  writeSheet,
} from './index';
import { makePdf, makeTar, makeWorkbook, makeWordDocument, makeZip } from './testing';
import { makePdfOfStream } from './testing/make-pdf';

const { signal } = new AbortController();

/** One content of a Word document that unpacks to more than may be unpacked. */
const bomb = makeZip({ 'word/document.xml': new Uint8Array(documentBounds.unpackedBytes + 1) });

describe('PDF', () => {
  test('returns the text of each page', async () => {
    const content = makePdf([['First page', 'its second line'], ['Page two (2)'], []]);
    expect(await readPdf(content, signal)).toEqual(['First page\nits second line', 'Page two (2)', '']);
  });

  test('rejects a file that is not a PDF, and one that exceeds a limit', async () => {
    await expect(readPdf(Buffer.from('plain text'), signal)).rejects.toThrow(
      'The file is not a PDF, or it is damaged.',
    );
    const pages = Array.from({ length: documentBounds.pages + 1 }, () => ['x']);
    await expect(readPdf(makePdf(pages), signal)).rejects.toThrow(
      'The PDF has 2001 pages; the limit is 2000.',
    );
  });

  test('a small file whose content unpacks to more than the memory of a thread is rejected', async () => {
    const operators = Buffer.alloc(300_000_000, '1 0 0 1 0 0 cm ');
    await expect(readPdf(makePdfOfStream(deflateSync(operators, { level: 1 })), signal)).rejects.toThrow(
      `Reading the document needed more than ${documentBounds.bufferMebibytes} MiB of memory.`,
    );
  });

  test('ends with the run', async () => {
    const ended = new AbortController();
    const reading = readPdf(makePdf([['x']]), ended.signal);
    ended.abort(new Error('cancelled'));
    await expect(reading).rejects.toThrow('cancelled');
    await expect(readPdf(makePdf([['x']]), ended.signal)).rejects.toThrow('cancelled');
  });

  test('documents wait when all threads are busy', async () => {
    const texts = Array.from({ length: 8 }, (_, index) => `document ${index}`);
    const read = await Promise.all(texts.map((text) => readPdf(makePdf([[text]]), signal)));
    expect(read).toEqual(texts.map((text) => [text]));
  });

  test('cancelled documents leave the queue', async () => {
    const ended = new AbortController();
    const abandoned = Array.from({ length: 6 }, () => readPdf(makePdf([['x']]), ended.signal));
    const wanted = readPdf(makePdf([['wanted']]), signal);
    ended.abort(new Error('cancelled'));
    const ends = await Promise.allSettled(abandoned);
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
    expect(await wanted).toEqual(['wanted']);
  });
});

describe('Word document', () => {
  test('returns the paragraphs, but neither tables nor text boxes', async () => {
    const body =
      '<w:p><w:r><w:t>One</w:t><w:tab/><w:t xml:space="preserve"> &amp; two</w:t><w:br/><w:t>three</w:t></w:r></w:p>' +
      '<w:p/><w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>' +
      '<w:p><w:hyperlink><w:r><w:t>link</w:t></w:r></w:hyperlink><w:r><w:br w:type="page"/><w:pict>' +
      '<w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></w:pict></w:r></w:p>';
    expect(await readWord(makeWordDocument(body), signal)).toEqual(['One\t & two\nthree', '', 'link']);
  });

  test('rejects a file that is not a Word document', async () => {
    await expect(readWord(Buffer.from('text'), signal)).rejects.toThrow('The file is not an Office document');
    await expect(readWord(makeZip({ 'a.txt': 'x' }), signal)).rejects.toThrow(
      'The file is not a Word document.',
    );
    await expect(readWord(makeWordDocument('<w:p>'), signal)).rejects.toThrow('The document is damaged');
  });

  test('an archive with a too large content is rejected before it is unpacked', async () => {
    expect(bomb.length).toBeLessThan(1_000_000);
    await expect(readWord(bomb, signal)).rejects.toThrow(`more than ${documentBounds.unpackedBytes} bytes`);
  });
});

describe('spreadsheet', () => {
  const styles =
    '<numFmts><numFmt numFmtId="170" formatCode="[Red]yyyy\\-mm"/></numFmts>' +
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs>';

  test('returns the rows of the first sheet of the workbook, each cell with its type', async () => {
    const rows =
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>in line</t></is></c></row>' +
      '<row r="3"><c r="A3"><v>7</v></c><c r="B3"><v>1.5</v></c><c r="C3" t="b"><v>1</v></c>' +
      '<c r="D3" s="1"><v>45322.5</v></c><c r="E3" s="2"><v>61</v></c><c r="F3" t="e"><v>#N/A</v></c></row>' +
      '<row r="9"><c r="A9"/></row>';
    const texts = ['<r><t>ri</t></r><r><t>ch</t></r><rPh><t>x</t></rPh>'];
    expect(await readSheet(makeWorkbook(rows, { texts, styles }), signal)).toEqual([
      ['rich', null, 'in line'],
      [],
      [7, 1.5, true, '2024-01-31 12:00:00', '1900-03-01 00:00:00', null],
    ]);
  });

  test('reads back the rows that were written', async () => {
    const rows = [
      ['name', 'a <b> & "c"\n', '\u0001control'],
      [1, 2.5, true],
      [null, -3, 'Grüße 😀'],
    ];
    const read = await readSheet(await writeSheet(rows, signal), signal);
    expect(read).toEqual([
      ['name', 'a <b> & "c"\n', 'control'],
      [1, 2.5, true],
      [null, -3, 'Grüße 😀'],
    ]);
  });

  test('rejects a sheet with too many cells', async () => {
    const rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="2000000"><c r="A2000000"><v>1</v></c></row>';
    await expect(readSheet(makeWorkbook(rows), signal)).rejects.toThrow('more than 1000000 cells');
  });
});

describe('XML and YAML', () => {
  test('XML is written as ElementTree writes it', async () => {
    const xml =
      '<?xml version="1.0"?><!-- comment --><a:root xmlns:a="urn:a" xmlns="urn:b" k="x&#10;&lt;&quot;">\n' +
      '<b xml:lang="de"></b><![CDATA[<&>]]></a:root>\n';
    expect(await reserializeXml(xml, signal)).toBe(
      '<ns0:root xmlns:ns0="urn:a" xmlns:ns1="urn:b" k="x&#10;&lt;&quot;">\n' +
        '<ns1:b xml:lang="de" />&lt;&amp;&gt;</ns0:root>',
    );
  });

  test('entities that a document declares are rejected', async () => {
    const xml = '<!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>';
    await expect(reserializeXml(xml, signal)).rejects.toThrow('undefined entity');
    await expect(reserializeXml('<a><b></a>', signal)).rejects.toThrow('unexpected close tag');
  });

  test('YAML is parsed to values', async () => {
    const yaml =
      'a: 1\nb: 1.0\nc: [yes, null, text]\nd: 2024-01-31\ne: 12345678901234567890\nf: {g: &x 1.5, h: *x}';
    expect(await readYaml(yaml, signal)).toEqual({
      a: 1,
      b: new PythonFloat(1),
      c: [true, null, 'text'],
      d: '2024-01-31',
      e: 12345678901234567890n,
      f: { g: 1.5, h: 1.5 },
    });
    await expect(readYaml('a: [', signal)).rejects.toThrow('Flow sequence');
  });

  test('YAML with too many expanded aliases is rejected', async () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const references = Array.from({ length: 10 }, () => `*l${level}`).join(',');
      return `l${level + 1}: &l${level + 1} [${references}]`;
    });
    const laughs = ['l0: &l0 ha', ...levels].join('\n');
    await expect(readYaml(laughs, signal)).rejects.toThrow('Excessive alias count');
  });
});

describe('archive', () => {
  const files = { 'a.txt': 'one', 'folder/b.md': 'two', '__MACOSX/._a.txt': 'fork' };
  const wanted = [
    { name: 'a.txt', content: new Uint8Array(Buffer.from('one')) },
    { name: 'folder/b.md', content: new Uint8Array(Buffer.from('two')) },
  ];

  test.each([
    ['ZIP', makeZip(files)],
    ['tar', makeTar(files)],
    ['gzipped tar', gzipSync(makeTar(files))],
  ])('returns the files of a %s', async (_, content) => {
    expect(await unpackArchive(content, signal)).toEqual(wanted);
  });

  test('a file that is not an archive gives null', async () => {
    expect(await unpackArchive(Buffer.from('plain text'), signal)).toBeNull();
    expect(await unpackArchive(gzipSync('plain text'), signal)).toBeNull();
  });

  test('archive bombs are rejected', async () => {
    const zeros = gzipSync(new Uint8Array(documentBounds.unpackedBytes + 1), { level: 1 });
    await expect(unpackArchive(bomb, signal)).rejects.toThrow('contains more than');
    await expect(unpackArchive(zeros, signal)).rejects.toThrow('contains more than');
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`${index}.txt`, '']));
    await expect(unpackArchive(makeZip(many), signal)).rejects.toThrow('more than 1000 files');
  }, 60_000);
});

test.each([
  ['ASCII', Buffer.from('two'), 'two', 'ascii'],
  ['UTF-8', Buffer.from('Grüße\r\nzwei\rdrei'), 'Grüße\nzwei\ndrei', 'utf-8'],
  ['UTF-8 with a byte order mark', Buffer.from('\ufeffGrüße'), 'Grüße', 'utf-8'],
  ['UTF-16', Buffer.from('\ufeffGrüße', 'utf16le'), 'Grüße', 'utf-16'],
  ['UTF-16 without a byte order mark', Buffer.from('Grüße aus', 'utf16le'), 'Grüße aus', 'utf-16'],
  ['Windows-1252', Buffer.from([0x47, 0x72, 0xfc, 0xdf, 0x65, 0x80]), 'Grüße€', 'cp1252'],
  ['nothing', Buffer.alloc(0), '', 'utf-8'],
])('a text in %s is decoded, and its encoding named', (_, content, text, encoding) => {
  expect(decodeText(content)).toBe(text);
  expect(textEncoding(content)).toBe(encoding);
});
