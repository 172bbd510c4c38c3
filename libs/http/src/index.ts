export { clientAddresses } from './client-addresses';
export { BodyBudget } from './body/body-budget';
export type { OpenBody } from './body/body-budget';
export { findJsonExcess } from './body/find-json-excess';
export type { JsonExcess } from './body/find-json-excess';
export { bodyTooLarge, readBody } from './body/read-body';
export { errorCodes } from './error-codes';
export type { ErrorCode } from './error-codes';
export { headerText } from './header-text';
export { HttpError } from './http-error';
export { originForm } from './origin-form';
export { readRequestId } from './request-id';
export { sendHttpError } from './send-http-error';
export { startHealthServer } from './server/health-server';
export { HttpServer } from './server/http-server';
export { answerProbe } from './server/probes';
export { factsOf } from './server/request-facts';
export { RequestObserver, requestIdOf } from './server/request-observer';
export { serverLimits } from './server/server-limits';
export { stopServer } from './server/stop-server';
export {
  refuseUnstorable,
  refuseUnstorableEscapes,
  unstorableCharacter,
  unstorableCharacterInJson,
  unstorableCharacterWithin,
  unstorablePosition,
} from './unstorable-character';
export type { UnstorableCharacter } from './unstorable-character';
export { nameTrace } from './name-trace';
export { GATEWAY_HEADER, MAXIMUM_WAITING_SENDERS } from './forwarded-webhooks';
