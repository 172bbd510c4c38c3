import { componentRegistry } from './component-registry';
import { failureOf, flow, node, runFlow } from './testing/flow-under-test.fixture';
import { missingTypes } from './missing-types';

test.each([
  ['PythonREPLComponent', 'it runs Python code, which is not supported.'],
  ['CustomComponent', 'in a JavaScript Function (JavaScriptFunction).'],
  ['LambdaFilter', 'Python code written by a model'],
  ['OpenDsStarAgent', 'Python code written by a model'],
  ['ext:google:GmailLoaderComponent@official', 'it signs in to Google with a user token'],
  ['ext:maps:GmailLoaderComponent@extra', 'it comes from the extension "maps"'],
  ['ChatVertexAI', 'Google Generative AI (GoogleGenerativeAIModel)'],
  ['UnknownType', 'there is no component of this type.'],
  ['ext:google:UnknownType@official', 'there is no component of this type.'],
  ['ext:maps:ChatInput@extra', 'it comes from the extension "maps", which is not installed here.'],
])('%s is rejected: %s', async (type, reason) => {
  expect(await failureOf(runFlow(flow([node('Some-a', type)])))).toMatch(
    new RegExp(`^This flow cannot run: "${type}" .*: .*${reason.replaceAll(/[.()]/g, '\\$&')}`),
  );
});

test('missing types are not registered, and their replacements are', () => {
  for (const [type, reason] of missingTypes) {
    expect(componentRegistry.find(type)).toBeUndefined();
    const named = [...reason.matchAll(/\((\w+(?:, \w+)*)\)/g)].flatMap(([, names = '']) => names.split(', '));
    for (const other of named) expect(componentRegistry.find(other)).toBeDefined();
  }
});
