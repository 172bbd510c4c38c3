/** Returns the same response, whose body fails after more than `maximumBytes` bytes; then calls `onExceeded`. */
export function boundedResponse(response: Response, maximumBytes: number, onExceeded: () => void): Response {
  if (response.body === null) return response;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maximumBytes) return controller.enqueue(chunk);
      controller.error(new Error(`more than ${maximumBytes} bytes`));
      onExceeded();
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}
