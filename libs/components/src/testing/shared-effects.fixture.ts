import type { RunEffects } from '@millrace/engine';
import type { PythonValue } from '@millrace/python-text';

/** Returns effects to share between runs: each run sees the effects of the earlier ones, like attempts of one run. */
export function sharedEffects(): RunEffects {
  const recorded = new Map<string, PythonValue>();
  return {
    async once(vertexId, name, act) {
      const key = JSON.stringify([vertexId, name]);
      const earlier = recorded.get(key);
      if (earlier !== undefined) return earlier;
      const result = await act();
      recorded.set(key, result);
      return result;
    },
    findStep: async (place, name) => recorded.get(JSON.stringify([place, 'step', name])),
    recordStep: async (place, name, result) =>
      void recorded.set(JSON.stringify([place, 'step', name]), result),
  };
}
