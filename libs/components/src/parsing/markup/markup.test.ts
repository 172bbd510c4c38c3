import { readFeed } from './feed';
import { htmlMarkdown } from './html-markdown';
import { htmlText, htmlWords } from './html-text';
import { elements, hasClass, parseHtml, parseXml, texts } from './markup';

const never = new AbortController().signal;

const page = `<!doctype html><html><head><title>The title</title><style>p{}</style></head>
<body><h1>Head</h1><p>One <b>two</b><br>three</p><script>alert(1)</script><!-- not this --></body></html>`;

test('the text is what a browser displays', async () => {
  expect(htmlText(await parseHtml(page, never))).toBe('The title\nHeadOne twothree');
  expect(htmlWords(await parseHtml(page, never))).toBe('The title Head One two three');
  expect(htmlText(await parseHtml('a &lt; b &eacute; <p>open', never))).toBe('a < b é open');
});

test.each([16_380, 16_384, 16_388])('a text of %i characters and more is one piece', async (length) => {
  const before = 'x'.repeat(length - 3);
  const html = await parseHtml(`<p>${before}&eacute;\u{1f600}<b>after</b></p>`, never);
  expect(texts(html)).toEqual([`${before}é\u{1f600}`, 'after']);
});

test('reads a very deeply nested document', async () => {
  const deep = `${'<div>'.repeat(50_000)}down here`;
  expect(htmlText(await parseHtml(deep, never))).toBe('down here');
  expect(htmlMarkdown(await parseHtml(deep, never))).toBe('');
});

test.each([
  ['<h2>Head</h2><p>One</p><p>Two</p>', '## Head\n\nOne\n\nTwo'],
  ['<p>a <b>bold</b>, <em>soft</em> <a href="/x">link</a></p>', 'a **bold**, *soft* [link](/x)'],
  ['<ul><li>one</li><li>two<ul><li>in</li></ul></li></ul>', '* one\n* two\n  * in'],
  ['<ol><li>one</li><li>two</li></ol>', '1. one\n2. two'],
  ['<pre><code>a\n  b</code></pre>', '```\na\n  b\n```'],
  ['<p><code>a  b</code></p>', '`a  b`'],
  ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  [
    '<table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td><td>2</td></tr></table>',
    '| a | b\\|c |\n| --- | --- |\n| 1 | 2 |',
  ],
  ['<img src="a.png" alt="A"><hr>', '![A](a.png)\n\n---'],
  ['<head><title>no</title></head><constructor>yes</constructor>', 'yes'],
])('%s as Markdown', async (html, markdown) => {
  expect(htmlMarkdown(await parseHtml(html, never))).toBe(markdown);
});

test('finds elements by name and class; XML names keep their case', async () => {
  const html = await parseHtml(
    '<a class="x result">1</a><a class="results">2</a><i class="result">3</i>',
    never,
  );
  expect(elements(html, (element) => hasClass(element, 'result')).map((found) => htmlText(found))).toEqual([
    '1',
    '3',
  ]);
  const xml = await parseXml('<item><pubDate>now</pubDate><link>there</link><![CDATA[<b>]]></item>', never);
  expect(elements(xml, ({ name }) => name === 'pubDate')).toHaveLength(1);
  expect(texts(xml)).toEqual(['now', 'there', '<b>']);
});

test('a table in a table is written once', async () => {
  const nested = '<table><tr><td>a</td><td><table><tr><td>b</td></tr></table></td></tr></table>';
  expect(htmlMarkdown(await parseHtml(nested, never))).toBe('| a | \\| b \\| \\| --- \\| |\n| --- | --- |');
  const deep = `${'<table><tr><td>'.repeat(40)}x`;
  expect(htmlMarkdown(await parseHtml(deep, never)).split('\n')).toHaveLength(2);
});

test('an item of a feed within another one is no further item', async () => {
  const nested = `<rss>${'<item>'.repeat(20_000)}<title>a</title>`;
  expect(await readFeed(nested, never)).toMatchObject([{ title: 'a' }]);
});
