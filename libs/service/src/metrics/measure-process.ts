import { readdirSync } from 'node:fs';
import { machineTime } from '../time/machine-time';
import { version } from '../version.cjs';
import { measureEventLoop } from './measure-event-loop';
import type { Metrics } from './metrics';

/**
 * Records build, CPU, memory, open files and event loop of this process. Names are those of Prometheus's clients, so that
 * dashboards for any process show them. Returns the function that stops it.
 */
export function measureProcess(metrics: Metrics): () => void {
  const startSeconds = machineTime() / 1_000 - process.uptime();
  metrics.gauge('millrace_build_info', '1; version of Millrace and of Node', () => [
    [1, { version, node_version: process.versions.node }],
  ]);
  metrics.total('process_cpu_seconds_total', 'CPU time of the process, user and system', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.gauge('process_resident_memory_bytes', 'Resident memory of the process', () =>
    process.memoryUsage.rss(),
  );
  metrics.gauge('process_start_time_seconds', 'Start of the process, in Unix time', () => startSeconds);
  metrics.gauge('process_open_fds', 'Open files and sockets of the process; Linux only', openFiles);
  metrics.gauge(
    'nodejs_heap_size_used_bytes',
    'Used memory of the JavaScript heap',
    () => process.memoryUsage().heapUsed,
  );
  let before = performance.eventLoopUtilization();
  metrics.gauge(
    'millrace_event_loop_utilization_ratio',
    'Part of the time since the collection before in which the event loop was busy',
    () => {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
  );
  return measureEventLoop(metrics);
}

function openFiles(): number | [] {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return [];
  }
}
