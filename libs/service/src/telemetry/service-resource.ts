import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  osDetector,
  processDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import type { Resource, ResourceDetector } from '@opentelemetry/resources';
import type { TelemetryIdentity } from './telemetry';

const DETECTORS: Readonly<Record<string, ResourceDetector>> = {
  env: envDetector,
  host: hostDetector,
  os: osDetector,
  process: processDetector,
  serviceinstance: serviceInstanceIdDetector,
};
/** Not `process`, whose attributes contain the command line. */
const DEFAULT_DETECTORS = 'env,host,serviceinstance';

/**
 * Describes this process to a receiver of telemetry: name and version, then what the detectors of
 * OTEL_NODE_RESOURCE_DETECTORS find. OTEL_RESOURCE_ATTRIBUTES and OTEL_SERVICE_NAME take precedence.
 */
export function serviceResource({ serviceName, version, environment }: TelemetryIdentity): Resource {
  const own = resourceFromAttributes({ 'service.name': serviceName, 'service.version': version });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: detectorsNamed(environment['OTEL_NODE_RESOURCE_DETECTORS']) }));
}

function detectorsNamed(names: string | undefined): ResourceDetector[] {
  const wanted = (names || DEFAULT_DETECTORS).split(',').map((name) => name.trim());
  if (wanted.includes('none')) return [];
  const chosen = wanted.includes('all') ? Object.keys(DETECTORS) : wanted;
  // The order of precedence is that of the list, so what the operator gives comes last.
  return [...chosen.filter((name) => name !== 'env'), ...(chosen.includes('env') ? ['env'] : [])].flatMap(
    (name) => {
      const detector = DETECTORS[name];
      if (detector !== undefined) return [detector];
      const known = [...Object.keys(DETECTORS), 'all', 'none'].join(', ');
      throw new Error(`OTEL_NODE_RESOURCE_DETECTORS can be ${known}, not "${name}"`);
    },
  );
}
