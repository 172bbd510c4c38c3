/**
 * Packages whose name is not that of their module, by the module. A module with a dot comes before its first part.
 */
const packages: Readonly<Record<string, string>> = {
  attr: 'attrs',
  azure: 'azure-core',
  'azure.ai.documentintelligence': 'azure-ai-documentintelligence',
  'azure.cosmos': 'azure-cosmos',
  'azure.identity': 'azure-identity',
  'azure.search.documents': 'azure-search-documents',
  'azure.storage.blob': 'azure-storage-blob',
  bs4: 'beautifulsoup4',
  Crypto: 'pycryptodome',
  cv2: 'opencv-python-headless',
  dateutil: 'python-dateutil',
  discord: 'discord.py',
  docx: 'python-docx',
  dotenv: 'python-dotenv',
  faiss: 'faiss-cpu',
  firecrawl: 'firecrawl-py',
  fitz: 'pymupdf',
  git: 'gitpython',
  github: 'pygithub',
  'google.ai': 'google-generativeai',
  'google.api_core': 'google-api-core',
  'google.auth': 'google-auth',
  'google.cloud.aiplatform': 'google-cloud-aiplatform',
  'google.cloud.bigquery': 'google-cloud-bigquery',
  'google.cloud.firestore': 'google-cloud-firestore',
  'google.cloud.storage': 'google-cloud-storage',
  'google.genai': 'google-genai',
  'google.generativeai': 'google-generativeai',
  'google.oauth2': 'google-auth',
  'google.protobuf': 'protobuf',
  googleapiclient: 'google-api-python-client',
  googlesearch: 'googlesearch-python',
  grpc: 'grpcio',
  haystack: 'haystack-ai',
  jose: 'python-jose',
  jwt: 'pyjwt',
  kafka: 'kafka-python',
  magic: 'python-magic',
  mem0: 'mem0ai',
  msoffcrypto: 'msoffcrypto-tool',
  MySQLdb: 'mysqlclient',
  mysql: 'mysql-connector-python',
  nacl: 'pynacl',
  newspaper: 'newspaper3k',
  OpenSSL: 'pyopenssl',
  opensearchpy: 'opensearch-py',
  PIL: 'pillow',
  pkg_resources: 'setuptools',
  pptx: 'python-pptx',
  psycopg2: 'psycopg2-binary',
  pythonjsonlogger: 'python-json-logger',
  pywintypes: 'pywin32',
  ruamel: 'ruamel.yaml',
  serial: 'pyserial',
  serpapi: 'google-search-results',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  slugify: 'python-slugify',
  socks: 'pysocks',
  speech_recognition: 'speechrecognition',
  sseclient: 'sseclient-py',
  tavily: 'tavily-python',
  telegram: 'python-telegram-bot',
  usb: 'pyusb',
  vertexai: 'google-cloud-aiplatform',
  websocket: 'websocket-client',
  weaviate: 'weaviate-client',
  wikipediaapi: 'wikipedia-api',
  win32com: 'pywin32',
  wx: 'wxpython',
  yaml: 'pyyaml',
  zmq: 'pyzmq',
};

const packageByModule = new Map(Object.entries(packages));

/**
 * Returns the name on PyPI of the package that contains a module, such as `beautifulsoup4` for `bs4.element`. A module that
 * the table does not have is in a package with its name, as most are.
 */
export function missingPackage(module: string): string {
  const parts = module.split('.');
  for (let length = parts.length; length > 0; length -= 1) {
    const known = packageByModule.get(parts.slice(0, length).join('.'));
    if (known !== undefined) return known;
  }
  return (parts[0] ?? module).replaceAll('_', '-').toLowerCase();
}
