import type { AnswerContract } from './answer-contract';

/** `fetch`, but an answer that is not as it was promised rejects: when its body is read to the end. */
export function checkedFetch(contract: AnswerContract): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const parts: Uint8Array[] = [];
    const verdict = () => {
      const fault = contract.fault({
        method: init?.method ?? 'GET',
        path: pathname + search,
        status: response.status,
        contentType: response.headers.get('content-type'),
        errorCode: response.headers.get('x-error-code'),
        text: Buffer.concat(parts).toString(),
      });
      if (fault !== null) throw new Error(fault);
    };
    if (response.body === null) {
      verdict();
      return response;
    }
    const checked = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(part, controller) {
          parts.push(part);
          controller.enqueue(part);
        },
        flush: verdict,
      }),
    );
    const { status, statusText, headers } = response;
    return new Response(checked, { status, statusText, headers });
  };
}
