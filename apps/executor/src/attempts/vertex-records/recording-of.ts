import type { ExecutorSettings } from '../../settings';
import { ModelPrices } from './model-prices';
import type { Recording } from './run-recorder';

type RecordingSettings = Pick<
  ExecutorSettings,
  | 'MILLRACE_VERTEX_RECORDS'
  | 'MILLRACE_VERTEX_RECORD_SAMPLE_RATE'
  | 'MILLRACE_VERTEX_RECORD_VALUES'
  | 'MILLRACE_MODEL_PRICES'
>;

/** Returns what the settings of an executor say about the records of vertices and the prices of models. */
export function recordingOf(settings: RecordingSettings): Recording {
  const { MILLRACE_VERTEX_RECORDS, MILLRACE_VERTEX_RECORD_SAMPLE_RATE, MILLRACE_VERTEX_RECORD_VALUES } =
    settings;
  return {
    prices: new ModelPrices(settings.MILLRACE_MODEL_PRICES),
    policy: MILLRACE_VERTEX_RECORDS
      ? { sampleRate: MILLRACE_VERTEX_RECORD_SAMPLE_RATE, values: MILLRACE_VERTEX_RECORD_VALUES }
      : null,
  };
}
