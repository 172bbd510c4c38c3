import type { AnswerContract } from './answer-contract';

/** Like `fetch`, but rejects an answer that violates the contract, once its body has been read. */
export function checkedFetch(contract: AnswerContract): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const { pathname, search } = new URL(input instanceof Request ? input.url : input);
    const parts: Uint8Array[] = [];
    const verdict = () => {
      const deviation = contract.deviation({
        method: init?.method ?? 'GET',
        path: pathname + search,
        status: response.status,
        contentType: response.headers.get('content-type'),
        errorCode: response.headers.get('x-error-code'),
        text: Buffer.concat(parts).toString(),
      });
      if (deviation !== null) throw new Error(deviation);
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
