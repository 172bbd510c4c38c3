import type { ComponentError } from '@millrace/flow';
import { flow, node, runFlow } from '../testing/flow-under-test.fixture';
import { describeCompatibleModel } from './compatible-model.contract';

describeCompatibleModel('AIMLModel', {
  baseUrlField: 'aiml_api_base',
  apiKeyField: 'api_key',
  path: '',
});

test('fails with the exception of its client', async () => {
  const broken: typeof fetch = () => Promise.reject(new TypeError('fetch failed'));
  const values = { api_key: 'k', model_name: 'm', max_retries: 0, input_value: 'q' };
  const document = flow([node('Model-m', 'AIMLModel', values)]);
  const failed = await runFlow(document, { show: 'Model-m', fetch: broken }).catch((error: unknown) => error);
  const { cause } = failed as { readonly cause: ComponentError };
  expect(cause).toMatchObject({ kind: 'OpenAIConnectionError', exceptionCode: null });
});
