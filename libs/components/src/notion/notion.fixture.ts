import type { FakeService } from '../integrations/http/fake-service.fixture';
import { outputOf } from '../testing/node-output.fixture';
import { notionSecret } from '../integrations/notion/notion-server.fixture';

/** Runs a Notion component and returns its data. */
export function dataOf(
  server: FakeService,
  type: string,
  values: Readonly<Record<string, unknown>>,
  output = 'example_output',
): Promise<unknown> {
  const hosts = { 'api.notion.com': server };
  return outputOf(type, { notion_secret: notionSecret, ...values }, hosts, output);
}
