// The thread that reads one XML or YAML text:
//    in   { task: 'xml' | 'yaml', content: text, bounds }
//    out  { result } or { failure }
// XML is returned in the form that Python's ElementTree writes. Values of YAML are those of version 1.1; integers are
// bigints, floats numbers, dates texts.
const { parentPort, workerData } = require('node:worker_threads');
const { SaxesParser } = require('saxes');
const { parse } = require('yaml');

/** Prefixes that ElementTree uses for these namespaces, whatever prefix the document uses. */
const wellKnown = new Map([
  ['http://www.w3.org/XML/1998/namespace', 'xml'],
  ['http://www.w3.org/1999/xhtml', 'html'],
  ['http://www.w3.org/1999/02/22-rdf-syntax-ns#', 'rdf'],
  ['http://schemas.xmlsoap.org/wsdl/', 'wsdl'],
  ['http://www.w3.org/2001/XMLSchema', 'xs'],
  ['http://www.w3.org/2001/XMLSchema-instance', 'xsi'],
  ['http://purl.org/dc/elements/1.1/', 'dc'],
]);

try {
  const { task, content, bounds } = workerData;
  const result = task === 'xml' ? writeXml(readXml(content)) : readYaml(content);
  if (typeof result === 'string' && result.length > bounds.characters) {
    throw new Error(`The document contains more than ${bounds.characters} characters of text.`);
  }
  parentPort.postMessage({ result });
} catch (error) {
  parentPort.postMessage({ failure: String(error?.message ?? error) });
}

/** Returns the root as { name, attributes: [[name, value]], content: [element | text] }; names are { uri, local }. */
function readXml(xml) {
  const parser = new SaxesParser({ xmlns: true, position: true });
  const open = [];
  let root = null;
  const add = (item) => open.at(-1)?.content.push(item);
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const element = {
      name: { uri, local },
      attributes: Object.values(attributes)
        .filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns')
        .map((attribute) => [{ uri: attribute.uri, local: attribute.local }, attribute.value]),
      content: [],
    };
    add(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  parser.on('text', add);
  parser.on('cdata', add);
  parser.write(xml).close();
  return root;
}

function writeXml(root) {
  const prefixes = new Map();
  const nameOf = ({ uri, local }) => {
    if (uri === '') return local;
    if (!prefixes.has(uri)) prefixes.set(uri, wellKnown.get(uri) ?? `ns${prefixes.size}`);
    return `${prefixes.get(uri)}:${local}`;
  };
  const written = [];
  const write = (element) => {
    const name = nameOf(element.name);
    const attributes = element.attributes.map(
      ([attribute, value]) => ` ${nameOf(attribute)}="${escapedAttribute(value)}"`,
    );
    const start = written.length;
    written.push('');
    const content = element.content.filter((item) => item !== '');
    for (const item of content) {
      if (typeof item === 'string') written.push(escapedText(item));
      else write(item);
    }
    // Namespaces are declared at the root, and are all known only after its content was written.
    const declared = element === root ? declarations(prefixes) : '';
    const end = content.length === 0 ? ' />' : '>';
    written[start] = `<${name}${declared}${attributes.join('')}${end}`;
    if (content.length > 0) written.push(`</${name}>`);
  };
  write(root);
  return written.join('');
}

function declarations(prefixes) {
  return [...prefixes]
    .filter(([, prefix]) => prefix !== 'xml')
    .sort(([, one], [, other]) => (one < other ? -1 : 1))
    .map(([uri, prefix]) => ` xmlns:${prefix}="${escapedAttribute(uri)}"`)
    .join('');
}

function escapedText(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapedAttribute(text) {
  return escapedText(text)
    .replaceAll('"', '&quot;')
    .replaceAll('\r', '&#13;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\t', '&#09;');
}

function readYaml(text) {
  const value = parse(text, { version: '1.1', intAsBigInt: true, maxAliasCount: 100 });
  return plain(value);
}

function plain(value) {
  if (value instanceof Date) return dateText(value);
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Set) return [...value].map(plain);
  if (value instanceof Map) value = Object.fromEntries(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

/** Formats a date or a point in time as Python does. */
function dateText(date) {
  const text = date.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}
