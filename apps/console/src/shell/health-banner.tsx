import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useMay } from '../api/session';
import { TriangleAlert } from '../ui/icons';

interface Check {
  readonly ok: boolean;
}

interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, Check>>;
}

/** `/readyz` answers without a key, with 503 when a part is unavailable. */
async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  const response = await fetch('/readyz', { signal });
  return (await response.json()) as Readiness;
}

const useReadiness = () =>
  useQuery({
    queryKey: ['readiness'],
    queryFn: ({ signal }) => readReadiness(signal),
    refetchInterval: 10_000,
    retry: 0,
  });

/** What an unavailable part means for the pages. */
const MEANING: Readonly<Record<string, string>> = {
  executors: 'No executor is connected: new runs wait or are refused; stored runs can be read.',
  broker: 'The broker is unavailable: background runs are stored and wait, others are refused.',
  database: 'The database is unavailable: nothing is accepted, and nothing stored can be read.',
};

/** Says on every page what is unavailable, and what still works. */
export function HealthBanner() {
  const { data, isError } = useReadiness();
  const isAdmin = useMay('admin');
  const down = Object.entries(data?.checks ?? {})
    .filter(([, check]) => !check.ok)
    .map(([name]) => name);
  if (!isError && down.length === 0) return null;
  return (
    <div className="banner" role="status">
      <TriangleAlert size={16} />
      <span>
        {isError
          ? 'The server does not answer. The page shows what it last read, and tries again.'
          : down.map((name) => MEANING[name] ?? `Unavailable: ${name}.`).join(' ')}
        {isAdmin && !isError && (
          <>
            {' '}
            <Link href="/system/health">Health</Link>
          </>
        )}
      </span>
    </div>
  );
}
