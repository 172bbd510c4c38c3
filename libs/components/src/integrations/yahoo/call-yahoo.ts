import { ComponentError, isDict } from '@millrace/flow';
import type { ComponentContext } from '@millrace/flow';
import type { PythonObject, PythonValue } from '@millrace/python-text';
import { callJson } from '../http/call-service';
import { member, objectsMember, textMember } from '../http/json-members';
import { browserHeaders } from '../http/browser-headers';
import type { YahooSource } from './yahoo-methods';
import { openYahooSession } from './yahoo-session';

const base = 'https://query2.finance.yahoo.com';

/** Returns news about a symbol or search words, newest first. */
export async function yahooNews(
  words: string,
  count: number,
  context: ComponentContext,
): Promise<readonly PythonObject[]> {
  const query = { q: words, quotesCount: 0, newsCount: Math.max(1, count) };
  const answer = await callYahoo(`${base}/v1/finance/search`, query, browserHeaders, context);
  return objectsMember(answer, 'news').slice(0, Math.max(0, count));
}

/** Returns Yahoo's figures for a symbol, under Yahoo's names. */
export function yahooFacts(
  symbol: string,
  source: YahooSource,
  context: ComponentContext,
): Promise<PythonValue> {
  const name = encodeURIComponent(symbol.trim().toUpperCase());
  return 'modules' in source ? summary(name, source.modules, context) : chart(name, source, context);
}

async function summary(
  symbol: string,
  modules: readonly string[],
  context: ComponentContext,
): Promise<PythonValue> {
  const { headers, crumb } = await openYahooSession(context);
  const query = { modules: modules.join(','), formatted: false, crumb };
  const answer = await callYahoo(`${base}/v10/finance/quoteSummary/${symbol}`, query, headers, context);
  const [result] = objectsMember(answer, 'quoteSummary', 'result');
  if (result === undefined) throw failed(answer, 'quoteSummary', symbol);
  // Several modules are merged into one object.
  if (modules.length > 1) return Object.assign({}, ...Object.values(result).filter(isDict)) as PythonObject;
  return Object.values(result)[0] ?? null;
}

async function chart(
  symbol: string,
  source: Exclude<YahooSource, { modules: unknown }>,
  context: ComponentContext,
): Promise<PythonValue> {
  const query = { range: 'max', interval: '3mo', events: 'div,splits,capitalGains' };
  const answer = await callYahoo(`${base}/v8/finance/chart/${symbol}`, query, browserHeaders, context);
  const [result] = objectsMember(answer, 'chart', 'result');
  if (result === undefined) throw failed(answer, 'chart', symbol);
  if ('meta' in source) return member(result, 'meta');
  return Object.fromEntries(source.events.map((name) => [name, eventsOf(member(result, 'events', name))]));
}

/** Returns events as a list; Yahoo returns an object by time. */
function eventsOf(value: PythonValue): PythonValue {
  return isDict(value) ? Object.values(value) : [];
}

function callYahoo(
  url: string,
  query: Readonly<Record<string, string | number | boolean>>,
  headers: Readonly<Record<string, string>>,
  context: ComponentContext,
): Promise<PythonValue> {
  const secrets = [headers['cookie'] ?? ''];
  return callJson({ service: 'Yahoo Finance', url, query, headers, secrets }, context);
}

function failed(answer: PythonValue, part: string, symbol: string): ComponentError {
  const reason = textMember(answer, part, 'error', 'description');
  return new ComponentError(`Error retrieving data: ${reason || `no data found for ${symbol}`}`);
}
