import { flow, node, runFlow, edge } from '../testing/flow-under-test.fixture';
import type { RunOptions } from '../testing/flow-under-test.fixture';
import { fetchFrom } from '../integrations/http/fake-service.fixture';
import type { FakeService } from '../integrations/http/fake-service.fixture';
import { assemblyAiKey } from '../integrations/assemblyai/assemblyai-server.fixture';

type Values = Readonly<Record<string, unknown>>;

/** Starts a transcript, waits for it, passes it to another node, and returns one output of that node. */
export async function afterTranscript(
  server: FakeService,
  audio: Values,
  next: { readonly type: string; readonly values?: Values } | null,
  options: RunOptions = {},
): Promise<unknown> {
  const key = { api_key: assemblyAiKey };
  const nodes = [
    node('Creator-a', 'AssemblyAITranscriptionJobCreator', { ...key, ...audio }),
    node('Poller-b', 'AssemblyAITranscriptionJobPoller', { ...key, polling_interval: 0.05 }),
  ];
  const wires = [edge('Creator-a', 'transcript_id', 'Poller-b', 'transcript_id')];
  if (next !== null) {
    nodes.push(node('Next-c', next.type, { ...key, ...next.values }));
    wires.push(edge('Poller-b', 'transcription_result', 'Next-c', 'transcription_result'));
  }
  const { text } = await runFlow(flow(nodes, wires), {
    fetch: fetchFrom({ 'api.assemblyai.com': server }),
    show: next === null ? 'Poller-b' : 'Next-c',
    ...options,
  });
  return text;
}
