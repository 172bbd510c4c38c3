import { KeyValueUnavailableError, openKeyValueStore } from '@millrace/key-value';
import type { KeyValueStore } from '@millrace/key-value';
import { createLogger } from '@millrace/service';
import { PythonAnnouncement } from './index';
import type { AnnouncedPython } from './index';

const lines: string[] = [];
const logger = createLogger({
  name: 'test',
  level: 'info',
  destination: { write: (line) => void lines.push(line) },
});
let keyValue: KeyValueStore;

beforeEach(async () => {
  keyValue = await openKeyValueStore({ url: undefined, prefix: '', logger, name: 'test' });
  lines.length = 0;
});
afterEach(() => keyValue.close());

const announced: AnnouncedPython = {
  python: '3.11.7',
  lfx: '1.13.0',
  packageSet: 'lfx',
  components: new Map([['ArXiv', 'lfx.components.arxiv.arxiv.ArXivComponent']]),
  modules: new Set(['json', 'lfx']),
  seal: 'sealed',
};

test('what an executor announced is read for its pool, not for another', async () => {
  const announcement = new PythonAnnouncement({ keyValue, logger });
  await announcement.write('python', announced);
  expect(await announcement.read('python')).toEqual(announced);
  expect(await announcement.read('default')).toBeNull();
  expect(lines).toEqual([]);
});

test.each([
  '',
  '[]',
  'null',
  '{"python":"3.11"}',
  '{"python":"3","lfx":"1","packageSet":"lfx","seal":"open","components":[],"modules":[]}',
  '{"python":"3","lfx":"1","packageSet":"lfx","seal":"open","components":{"A":1},"modules":[]}',
  '{"python":"3","lfx":"1","packageSet":"lfx","seal":"open","components":{},"modules":[7]}',
  '{"python":"3","lfx":"1","packageSet":"lfx","seal":null,"components":{},"modules":[]}',
])('the malformed value %j is ignored with a log line', async (value) => {
  await keyValue.set('python-environment:python', value);
  expect(await new PythonAnnouncement({ keyValue, logger }).read('python')).toBeNull();
  expect(lines).toEqual([expect.stringContaining('malformed')]);
});

test('without the key-value store nothing is known, and a write does not fail', async () => {
  const unavailable = () => Promise.reject(new KeyValueUnavailableError('no answer'));
  const announcement = new PythonAnnouncement({ keyValue: { get: unavailable, set: unavailable }, logger });
  await announcement.write('python', announced);
  expect(await announcement.read('python')).toBeNull();
  expect(lines).toEqual([]);
  const get = () => Promise.reject(new Error('no text'));
  const broken = new PythonAnnouncement({ keyValue: { get, set: unavailable }, logger });
  expect(await broken.read('python')).toBeNull();
  expect(lines).toEqual([expect.stringContaining('the announcement of Python could not be read')]);
});
