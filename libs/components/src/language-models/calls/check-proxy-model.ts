import { ComponentError, isDict } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import { parsePythonJson } from '@millrace/python-text';
import type { PythonValue } from '@millrace/python-text';
import { callHttp } from '../../integrations/http/call-http';
import { decodeText } from '../../integrations/http/decode-text';
import type { HttpAnswer } from '../../integrations/http/http-call';
import { HttpFailure } from '../../integrations/http/http-failure';
import { serviceError } from '../../integrations/http/service-error';
import type { ChatModel } from '../../integrations/models/chat-protocol';

const TIMEOUT_MILLISECONDS = 10_000;
const UNAUTHORIZED = 401;
export const refusedKey = 'Authentication failed. Check that your Virtual Key is valid and not expired.';

/** Fails as Langflow where a LiteLLM proxy refuses the key, or does not list the model. */
export async function checkProxyModel(chat: ChatModel, context: ComponentContext): Promise<void> {
  const answer = await listModels(chat, context);
  if (answer.status === UNAUTHORIZED) throw new ComponentError(refusedKey);
  if (answer.status < 200 || answer.status > 299)
    throw serviceError(chat.provider, answer, [chat.apiKey.reveal()]);
  const models = modelsIn(answer);
  if (models.length === 0 || models.includes(chat.model)) return;
  throw new ComponentError(
    `Model '${chat.model}' not found on the LiteLLM Proxy. Available models: ${models.join(', ')}`,
  );
}

async function listModels(
  { provider, baseUrl, apiKey }: ChatModel,
  context: ComponentContext,
): Promise<HttpAnswer> {
  const base = baseUrl.replace(/(?<!\/)\/+$/, '');
  try {
    return await callHttp(
      {
        service: provider,
        url: new URL(`${base}/models`),
        headers: { authorization: `Bearer ${apiKey.reveal()}` },
        timeoutMilliseconds: TIMEOUT_MILLISECONDS,
        maximumRetries: 0,
      },
      context,
    );
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    throw new ComponentError(failureText(error, base), error, { permanent: error.permanent });
  }
}

function failureText({ reason, detail }: HttpFailure, base: string): string {
  if (reason === 'refused') return `SSRF Protection: ${detail}`;
  if (reason === 'timeout') return `Connection to LiteLLM Proxy at ${base} timed out.`;
  if (reason === 'too_large') return detail;
  return `Could not connect to LiteLLM Proxy at ${base}. Verify the URL is correct and the proxy is running.`;
}

function modelsIn(answer: HttpAnswer): readonly string[] {
  const body = parsed(decodeText(answer));
  const listed = isDict(body) && Array.isArray(body['data']) ? (body['data'] as readonly PythonValue[]) : [];
  return listed.map((one) => (isDict(one) && typeof one['id'] === 'string' ? one['id'] : ''));
}

function parsed(text: string): PythonValue {
  try {
    return parsePythonJson(text);
  } catch (error) {
    throw new ComponentError('LiteLLM returned a list of models that is not JSON.', error);
  }
}
