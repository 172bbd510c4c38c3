import { canaries, leaks } from './canaries';
import type { CanaryName, Place } from './canaries';
import { startEchoingServices } from './echoing-services';
import type { EchoingServices } from './echoing-services';
import { startOtlpReceiver, telemetryEnvironment } from './otlp-receiver';
import type { OtlpReceiver } from './otlp-receiver';
import { SecretSteps } from './secret-steps';

/** A running installation that writes down as much as it can. */
export interface WatchedInstallation {
  readonly url: string;
  readonly key: string;
  /** What its processes print. */
  readonly lines: readonly string[];
  /** The addresses of the metrics of each process. */
  readonly metrics: readonly string[];
  /** Stops the services, then resolves to what they stored. */
  stop(): Promise<readonly Place[]>;
}

/** The installation gets two canaries at its start. */
function watchedEnvironment(collector: string, services: string): Readonly<Record<string, string>> {
  return {
    ...telemetryEnvironment(collector),
    OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${canaries.collector}`,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    OTEL_LOG_LEVEL: 'all',
    LOG_LEVEL: 'debug',
    MILLRACE_VERTEX_RECORD_SAMPLE_RATE: '1',
    MILLRACE_VERTEX_RECORD_VALUES: 'all',
    MILLRACE_OUTGOING_ALLOW: '127.0.0.1/32',
    MILLRACE_MCP_STDIO: 'true',
    OPENAI_API_KEY: canaries.environment,
    OPENAI_BASE_URL: `${services}/v1`,
  };
}

/** Canaries that the echoing services do not receive. */
const NOT_ECHOED: readonly CanaryName[] = [
  'connectionString',
  'signingSecret',
  'webhookBody',
  'wrongKey',
  'wrongKeyInQuery',
  'bearer',
  'cookie',
  'collector',
  'database',
];

/** Tests that no secret is seen from outside, with everything recorded that can be recorded. */
export function describeSecrets(
  name: string,
  start: (environment: Readonly<Record<string, string>>) => Promise<WatchedInstallation>,
): void {
  describe(`secrets (${name})`, () => {
    let services: EchoingServices;
    let receiver: OtlpReceiver;
    let installation: WatchedInstallation;
    beforeAll(async () => {
      [services, receiver] = await Promise.all([startEchoingServices(), startOtlpReceiver()]);
      installation = await start(watchedEnvironment(receiver.url, services.url));
    }, 180_000);
    afterAll(async () => {
      await installation?.stop();
      await receiver?.close();
      await services?.close();
    }, 60_000);

    test('CWE-532: no secret is in logs, traces, records, audit, metrics and answers to others', async () => {
      const steps = new SecretSteps(installation, services.url);
      await steps.storeSecrets();
      await steps.storeFlows();
      const answers = await steps.runFlows();
      await steps.runWebhook();
      await steps.refuseCallers();
      await steps.askAsAnother();
      const records = await steps.readRecords();
      const audit = await steps.expect(200, 'GET', '/api/v1/audit/export');
      const metrics = await Promise.all(
        installation.metrics.map(async (address) => (await fetch(address)).text()),
      );
      const lists = await Promise.all(
        ['/api/v1/variables/', '/api/v1/api_key/', '/api/v1/config', '/readyz'].map((path) =>
          steps.expect(200, 'GET', path),
        ),
      );
      const stored = await installation.stop();

      // Each secret was used, and would be seen if it were not hidden.
      const used = services.received.join('\n') + answers;
      const unused = Object.entries(canaries).filter(([, secret]) => !used.includes(secret));
      expect(unused.map(([canary]) => canary).sort()).toEqual([...NOT_ECHOED].sort());
      for (const texts of [records, receiver.bodies]) expect(texts.join('\n')).toContain('[hidden]');
      expect(receiver.bodies.join('\n')).toContain('gen_ai.input.messages');
      expect(audit).toContain('mcp_server.created');
      expect(installation.lines.join('\n')).toContain('run failed');

      expect(
        leaks([
          { name: 'logs', texts: installation.lines },
          { name: 'telemetry', texts: receiver.bodies },
          // The body of a webhook is an input, and inputs are recorded.
          { name: 'records', texts: records, except: ['webhookBody'] },
          { name: 'audit', texts: [audit] },
          { name: 'metrics', texts: metrics },
          { name: 'answers to others', texts: steps.answersToOthers },
          // Values of generic variables are listed for their owner.
          { name: 'own lists', texts: lists, except: ['plainVariable'] },
          ...stored,
        ]),
      ).toEqual([]);
    }, 180_000);

    test('CWE-117: each log line is one JSON object, whatever callers sent', () => {
      // The SDK of OpenTelemetry prints its own log as plain text.
      const objects = installation.lines.flatMap((line) => /^\S+ +(\{".*)$/.exec(line)?.[1] ?? []);
      expect(objects.length).toBeGreaterThan(10);
      for (const line of objects) expect(() => JSON.parse(line) as unknown).not.toThrow();
      expect(objects.filter((line) => line.startsWith('{"level":"fatal"'))).toEqual([]);
    });
  });
}
