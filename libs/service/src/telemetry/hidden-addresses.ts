import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace';

type Span = Parameters<SpanProcessor['onStart']>[0];

const HIDDEN = '[hidden]';

/**
 * Hides what can be a key in the addresses of HTTP spans: queries, and the paths of outgoing requests. It changes spans as
 * they start, before other processors see them.
 */
export class HiddenAddresses implements SpanProcessor {
  onStart(span: Span): void {
    const { attributes, kind } = span;
    for (const [name, value] of Object.entries(attributes)) {
      const shown = shownAttribute(name, value, kind === SpanKind.CLIENT);
      if (shown !== value) span.setAttribute(name, shown);
    }
  }

  onEnd(): void {
    // Nothing to do: attributes of addresses are set at the start.
  }

  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

function shownAttribute(name: string, value: Attributes[string], isOutgoing: boolean): string {
  const text = String(value);
  switch (name) {
    case 'url.query':
      return text === '' ? text : HIDDEN;
    case 'url.path':
      return isOutgoing && text !== '/' ? HIDDEN : text;
    case 'url.full':
    case 'http.url':
      return URL.canParse(text) ? `${new URL(text).origin}/` : HIDDEN;
    case 'http.target':
      return isOutgoing ? HIDDEN : (text.split('?', 1)[0] ?? text);
    default:
      return value as string;
  }
}
