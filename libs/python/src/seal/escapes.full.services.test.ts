import type { Escape } from './testing/escape';
import { NO_SUCH_CALL, PERMISSION, SUCCESS } from './testing/escape';
import { fileEscapes } from './testing/file-escapes';
import { networkEscapes } from './testing/network-escapes';
import { kernelEscapes, refusedCalls } from './testing/kernel-escapes';
import { processEscapes } from './testing/process-escapes';
import { runners, SealedSnippets } from './testing/sealed-snippets';
import type { SnippetResult } from './testing/sealed-snippets';

const escapes: readonly Escape[] = [...fileEscapes, ...processEscapes, ...kernelEscapes, ...networkEscapes];
const provable = escapes.filter(({ worksUnsealed }) => worksUnsealed !== false);

describe.each(runners())('as $user, authors’ code', (runner) => {
  const snippets = new SealedSnippets(runner);
  afterAll(() => snippets.remove());

  const missing = snippets.missingLayers();
  if (missing !== '') {
    test('is refused, since this machine lacks a layer of the seal', () => {
      expect(missing).toMatch(/^The process is not sealed\. Missing: \w+ \(/);
    });
    return;
  }

  let sealed: Map<string, SnippetResult>;
  let unsealed: Map<string, SnippetResult>;
  beforeAll(async () => {
    sealed = await tryAll(snippets, escapes, true);
    unsealed = await tryAll(snippets, provable, false);
  }, 240_000);

  test('is tried in processes that are sealed entirely', () => {
    expect([...sealed.values()].map(({ seal }) => seal?.level)).toEqual(Array(escapes.length).fill('sealed'));
  });

  test.each(escapes)('$title: not in a sealed process', ({ title, ends = PERMISSION }) => {
    expect(sealed.get(title)?.outcome).toMatch(ends);
  });

  test.each(provable)('$title: in a process without the seal', ({ title }) => {
    expect(unsealed.get(title)?.outcome).toMatch(SUCCESS);
  });

  test('makes none of the system calls that reach beyond the process', async () => {
    const code = `
outcomes = {}
for name in ${JSON.stringify(refusedCalls)}:
    try:
        outcomes[name] = world['raw'](name, 0, 0, 0, 0, 0, 0)
    except OSError as error:
        outcomes[name] = f'raised {type(error).__name__} {__import__("errno").errorcode[error.errno]}'
return outcomes`;
    const [result] = await snippets.run({ snippets: [{ name: 'calls', code, sealed: true }] });
    const outcomes = JSON.parse(result!.outcome.replace('returned ', '')) as Record<string, unknown>;
    expect(Object.keys(outcomes)).toEqual([...refusedCalls]);
    expect(Object.entries(outcomes).filter(([, text]) => !NO_SUCH_CALL.test(String(text)))).toEqual([]);
  });
});

async function tryAll(snippets: SealedSnippets, chosen: readonly Escape[], isSealed: boolean) {
  const results = await snippets.run({
    snippets: chosen.map(({ title, code, options }) => ({
      name: title,
      code,
      sealed: isSealed,
      ...(options && { options }),
    })),
  });
  return new Map(results.map((result) => [result.name, result]));
}
