import { refusedTweaks } from '@millrace/flow';
import type { Tweaks } from '@millrace/flow';
import { HttpError } from '@millrace/http';
import type { FlowReference } from '@millrace/runs';
import { repr } from '@millrace/python-text';
import type { LangflowRelease } from '@millrace/service';
import type { FlowTraitsCache } from '../../flow-traits/flow-traits';

const REASON = 'The field is protected and keeps the value set by the flow author.';

export interface TweakGateOptions {
  readonly traits: FlowTraitsCache;
  readonly release: LangflowRelease;
}

/**
 * Refuses runs whose tweaks would change a protected field, before anything is executed or stored. With the answers of
 * Langflow 1.11 it refuses none; the engine ignores such tweaks in any case.
 */
export class TweakGate {
  readonly #options: TweakGateOptions;

  constructor(options: TweakGateOptions) {
    this.#options = options;
  }

  /** Returns the names of the protected fields, sorted; without a promise for a request without tweaks. */
  refused(
    flow: Pick<FlowReference, 'id' | 'version'>,
    tweaks: Tweaks,
  ): readonly string[] | Promise<readonly string[]> {
    if (this.#options.release === '1.11' || Object.keys(tweaks).length === 0) return [];
    return this.#refused(flow, tweaks);
  }

  async #refused({ id, version }: Pick<FlowReference, 'id' | 'version'>, tweaks: Tweaks) {
    const { protectedFields } = await this.#options.traits.of(id, version);
    return refusedTweaks(protectedFields, tweaks);
  }
}

/** Returns the error for tweaks of protected fields. */
export function tweaksRefused(fields: readonly string[]): HttpError {
  return new HttpError('tweaks_refused', {
    error: 'Refused tweaks',
    code: 'TWEAKS_REFUSED',
    message: REASON,
    fields,
  });
}

/** Returns the text of the same error as a stream event: the names are in Python's notation. */
export function tweaksRefusedText(fields: readonly string[]): string {
  return `Refused tweak keys ${repr(fields)}: ${REASON}`;
}
