import { setTimeout as pause } from 'node:timers/promises';
import type { RunResponse } from '@millrace/flow';
import { startModelServer } from '@millrace/model-server';
import { startFakeServices } from './fake-services';
import type { FakeServices } from './fake-services';
import { printedCommands, runCommands } from './printed-commands';
import { startStandalone } from './start-standalone';

/** Starts the bundle as `npm start` does: one process, with the examples loaded on its first start. */
export async function startExamples(): Promise<RunningExamples> {
  const [model, fakeServices] = await Promise.all([startModelServer(), startFakeServices()]);
  const app = await startStandalone({
    environment: {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
      MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
    },
  });
  return new RunningExamples({
    url: app.url,
    key: app.key,
    fakeServices,
    dataFolder: app.data,
    close: async () => {
      await app.stop();
      await Promise.all([model.close(), fakeServices.close()]);
    },
  });
}

/** The example flows in a running system, with a model server and fakes of the services that they call. */
export class RunningExamples {
  readonly url: string;
  readonly key: string;
  readonly fakeServices: FakeServices;
  readonly dataFolder: string;
  readonly close: () => Promise<void>;

  constructor(system: Pick<RunningExamples, 'url' | 'key' | 'fakeServices' | 'dataFolder' | 'close'>) {
    this.url = system.url;
    this.key = system.key;
    this.fakeServices = system.fakeServices;
    this.dataFolder = system.dataFolder;
    this.close = system.close;
  }

  send(path: string, body: unknown): Promise<Response> {
    return fetch(`${this.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'x-api-key': this.key, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  async read(path: string): Promise<unknown> {
    return (await fetch(`${this.url}${path}`, { headers: { 'x-api-key': this.key } })).json();
  }

  /** Runs an example by its endpoint name; resolves to the texts of its Chat Outputs. */
  async run(endpoint: string, body: unknown): Promise<string[]> {
    const answer = await this.send(`/run/${endpoint}`, body);
    const responseText = await answer.text();
    if (answer.status !== 200) throw new Error(responseText);
    return textsOf(JSON.parse(responseText) as RunResponse);
  }

  /** Runs the changed commands of examples/README.md; resolves to the texts of the run of the last command. */
  async runPrinted(endpoint: string, change = (commands: string) => commands): Promise<string[]> {
    const written = await runCommands(change(printedCommands(endpoint)), this);
    const answer = written.slice(written.lastIndexOf('{"session_id"'));
    if (!answer.startsWith('{"session_id"')) throw new Error(written);
    return textsOf(JSON.parse(answer) as RunResponse);
  }

  /** Stores a file; resolves to its path. */
  async upload(name: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
    const body = new FormData();
    body.set('file', new Blob([content]), name);
    const headers = { 'x-api-key': this.key };
    const answer = await fetch(`${this.url}/api/v2/files/`, { method: 'POST', headers, body });
    return ((await answer.json()) as { path: string }).path;
  }

  /** Sends a body to a flow's webhook and waits for the end of its run. */
  async webhook(endpoint: string, body: string): Promise<unknown> {
    const { run_id } = (await (await this.send(`/webhook/${endpoint}`, body)).json()) as { run_id: string };
    for (let attempt = 0; attempt < 300; attempt += 1) {
      const record = (await this.read(`/api/v1/runs/${run_id}`)) as { status: string };
      if (!['accepted', 'queued', 'running'].includes(record.status)) return record;
      await pause(100);
    }
    throw new Error(`run ${run_id} did not end`);
  }
}

const textsOf = ({ outputs }: RunResponse): string[] =>
  (outputs[0]?.outputs ?? []).map(({ results }) => (results as { message: { text: string } }).message.text);
