import { codeHash, compile, defineComponent, parseFlowDocument, refusals, withCodePolicy } from '../index';
import type { ComponentRegistry, Plan } from '../index';
import type { CodePolicySettings } from '../plan/with-code-policy';

const chatInput = defineComponent({
  type: 'ChatInput',
  displayName: 'Chat Input',
  description: 'For the tests.',
  inputs: {},
  outputs: { message: { types: ['Message'] } },
  deterministic: true,
  run: () => ({}),
});
const registry: ComponentRegistry = {
  all: [chatInput],
  find: (type) => (type === 'ChatInput' ? chatInput : undefined),
};
const noPolicy: CodePolicySettings = { knownCode: {}, editedCode: 'refuse' };

const text = 'class ChatInput:\n    """Written for this test."""\n';
const stockModule = 'lfx.components.input_output.chat.ChatInput';
const editorModule = 'custom_components.chat_input';

interface Marks {
  readonly code?: string | readonly string[];
  readonly edited?: boolean;
  readonly module?: string;
  readonly recorded?: string;
  readonly builtBy?: string;
}

function planOf(marks: Marks, { policy = noPolicy, rule = undefined as string | undefined } = {}): Plan {
  const { code = text, edited, module, recorded, builtBy } = marks;
  const dependencies = { dependencies: [{ name: 'lfx', version: builtBy }] };
  const metadata = { module, code_hash: recorded, dependencies };
  const body = { template: { code: { type: 'code', value: code } }, edited, metadata, lf_version: '1.99.0' };
  const node = { id: 'ChatInput-1', type: 'genericNode', data: { type: 'ChatInput', node: body } };
  const document = parseFlowDocument({ nodes: [node], edges: [], edited_code: rule });
  return compile(document, { flowId: 'f', version: 1, registry: withCodePolicy(registry, policy) });
}

const originOf = (marks: Marks) => planOf(marks).vertices[0]?.codeOrigin;

const recorded = codeHash(text);

describe('the metadata of a node whose text is not listed', () => {
  test.each<[string, Marks]>([
    ['saved as the editor loaded it', { edited: false, module: stockModule, recorded }],
    ['of a bundle', { edited: false, module: 'lfx_arxiv.components.arxiv.ArXiv', recorded }],
    ['of an older release', { edited: false, module: 'langflow.components.inputs.chat.ChatInput' }],
    ['with an update that the author dismissed', { edited: true, module: stockModule, recorded }],
    ['updated by a newer release', { edited: false, module: editorModule, recorded, builtBy: '1.14.0' }],
    ['split into lines', { code: text.split('\n'), edited: false, module: stockModule, recorded }],
  ])('%s: stock code of an unlisted version', (_, marks) => {
    expect(originOf(marks)).toBe('unlisted');
    expect(refusals(planOf(marks))).toEqual([]);
    expect(planOf(marks).vertices[0]).toMatchObject({
      replacesCode: false,
      unlistedVersion: { savedBy: '1.99.0' },
    });
  });

  test.each<[string, Marks]>([
    ['edited in the editor', { edited: true, module: editorModule, recorded, builtBy: '1.14.0' }],
    ['built by a listed release', { edited: false, module: editorModule, recorded, builtBy: '1.13.0' }],
    ['built by an older release', { edited: false, module: editorModule, recorded, builtBy: '0.3.0' }],
    ['built by no release', { edited: false, module: editorModule, recorded, builtBy: 'new' }],
    ['changed by a program', { edited: false, module: stockModule, recorded: codeHash('other') }],
    ['built by the editor, without a hash', { edited: false, module: editorModule, builtBy: '1.14.0' }],
    ['of a module outside of Langflow', { edited: false, module: 'mine.components.ChatInput', recorded }],
    ['of a folder of the installation', { edited: false, module: '_lfx_ext.extra.chat.ChatInput', recorded }],
    ['of a module with a similar name', { edited: false, module: 'lfx.components', recorded }],
    ['without a module', { edited: false, recorded }],
    ['without metadata', {}],
  ])('%s: edited code', (_, marks) => {
    expect(originOf(marks)).toBe('edited');
    expect(refusals(planOf(marks))).toMatchObject([{ code: 'edited_code' }]);
  });
});

test('a listed hash takes precedence over all metadata', () => {
  const listed = { knownCode: { ChatInput: [codeHash(text)] }, editedCode: 'refuse' as const };
  for (const marks of [
    { edited: true },
    { edited: false, recorded: codeHash('other') },
    { module: editorModule },
  ])
    expect(planOf(marks, { policy: listed }).vertices[0]).toMatchObject({
      codeOrigin: 'known',
      unlistedVersion: null,
    });
});

describe('a text whose imports were moved between langflow and lfx', () => {
  const textOf = (name: string, more = '') =>
    `import json\n\nfrom ${name}.io import Output\nimport ${name}.schema\n\n\nclass ChatInput:\n    text = "lfx.io"\n${more}`;
  const listing = (code: string) => ({
    knownCode: { ChatInput: [codeHash(code)] },
    editedCode: 'refuse' as const,
  });

  test.each([
    ['lfx', 'langflow'],
    ['langflow', 'lfx'],
  ])('%s, listed with %s, is known', (saved, listed) => {
    const plan = planOf({ code: textOf(saved) }, { policy: listing(textOf(listed)) });
    expect(plan.vertices[0]?.codeOrigin).toBe('known');
    expect(refusals(plan)).toEqual([]);
  });

  test.each([
    ['is edited elsewhere, too', textOf('lfx', '    pass\n')],
    ['imports another package', textOf('lfx_extra')],
    ['names the package outside of imports', textOf('langflow').replace('"lfx.io"', '"langflow.io"')],
  ])('and which %s is edited', (_, code) => {
    const plan = planOf({ code }, { policy: listing(textOf('langflow')) });
    expect(plan.vertices[0]?.codeOrigin).toBe('edited');
  });
});

test('a hash that is listed for another type is ignored', () => {
  const other = { knownCode: { ChatOutput: [codeHash(text)] }, editedCode: 'refuse' as const };
  expect(planOf({ edited: true }, { policy: other }).vertices[0]?.codeOrigin).toBe('edited');
});

describe('edited code', () => {
  const stock = { ...noPolicy, editedCode: 'stock' as const };
  const isRefused = (plan: Plan) => refusals(plan).length > 0;

  test('runs the stock component if the installation allows it and the flow does not refuse', () => {
    const marks = { edited: true };
    expect(isRefused(planOf(marks))).toBe(true);
    expect(isRefused(planOf(marks, { policy: stock }))).toBe(false);
    expect(isRefused(planOf(marks, { policy: stock, rule: 'refuse' }))).toBe(true);
    expect(planOf(marks, { policy: stock }).vertices[0]?.replacesCode).toBe(true);
  });

  test('runs the stock component if the flow allows it', () => {
    expect(isRefused(planOf({ edited: true }, { rule: 'stock' }))).toBe(false);
    expect(isRefused(planOf({ edited: true }, { rule: 'anything' }))).toBe(true);
  });
});
