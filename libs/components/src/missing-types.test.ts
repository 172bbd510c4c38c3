import { componentRegistry } from './component-registry';
import { failureOf, flow, node, runFlow } from './flow-under-test.fixture';
import { missingTypes } from './missing-types';

test.each([
  ['PythonREPLComponent', 'it runs Python, which is not run here.'],
  ['ext:python:PythonREPLComponent@official', 'it runs Python, which is not run here.'],
  ['CustomComponent', 'in a JavaScript Function (JavaScriptFunction).'],
  ['LambdaFilter', 'Python that a model has written'],
  ['HumanInput', 'a run does not wait for a person.'],
  ['OpenDsStarAgent', 'Python that a model has written'],
  ['ChatVertexAI', 'Google Generative AI (GoogleGenerativeAIModel)'],
  ['LLMChain', 'A Language Model (LanguageModelComponent) takes a prompt itself.'],
  ['NobodyKnows', 'there is no component of this type.'],
])('%s is refused: %s', async (type, reason) => {
  expect(await failureOf(runFlow(flow([node('Some-a', type)])))).toMatch(
    new RegExp(`^This flow cannot run: "${type}" .*: .*${reason.replaceAll(/[.()]/g, '\\$&')}`),
  );
});

test('what is missing is missing, and what to use instead is there', () => {
  for (const [type, reason] of missingTypes) {
    expect(componentRegistry.find(type)).toBeUndefined();
    const named = [...reason.matchAll(/\((\w+(?:, \w+)*)\)/g)].flatMap(([, names = '']) => names.split(', '));
    for (const other of named) expect(componentRegistry.find(other)).toBeDefined();
  }
});
