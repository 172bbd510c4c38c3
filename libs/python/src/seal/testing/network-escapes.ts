import { PERMISSION } from './escape';
import type { Escape } from './escape';

/** What ends a connection to a place that the process cannot reach. */
const UNREACHABLE = /^raised (PermissionError|ConnectionRefusedError|OSError ENETUNREACH)/;

/** Sockets of every family. */
export const networkEscapes: readonly Escape[] = [
  {
    title: 'connects to a port of the machine, such as that of PostgreSQL or Redis',
    ends: UNREACHABLE,
    code: `
import socket
socket.create_connection(('127.0.0.1', world['tcp_port']), timeout=2)
return True`,
  },
  {
    title: 'connects by TCP Fast Open',
    ends: PERMISSION,
    code: `
import socket
one = socket.socket()
one.sendto(b'x', socket.MSG_FASTOPEN, ('127.0.0.1', world['tcp_port']))
return True`,
  },
  {
    title: 'connects to the metadata address of clouds',
    ends: UNREACHABLE,
    worksUnsealed: false,
    code: `
import socket
socket.create_connection(('169.254.169.254', 80), timeout=2)
return True`,
  },
  {
    title: 'connects to a public address',
    ends: UNREACHABLE,
    worksUnsealed: false,
    code: `
import socket
socket.create_connection(('1.1.1.1', 443), timeout=2)
return True`,
  },
  {
    title: 'connects by IPv6',
    ends: UNREACHABLE,
    worksUnsealed: false,
    code: `
import socket
socket.create_connection(('2606:4700:4700::1111', 443), timeout=2)
return True`,
  },
  {
    title: 'asks a name server by UDP',
    ends: UNREACHABLE,
    worksUnsealed: false,
    code: `
import socket
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.sendto(b'\\0' * 12, ('8.8.8.8', 53))
return True`,
  },
  {
    title: 'sends a datagram to a port of the machine',
    ends: UNREACHABLE,
    code: `
import socket, time
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
one.connect(('127.0.0.1', world['udp_port']))
one.send(b'x')
time.sleep(0.1)
one.send(b'x')
return True`,
  },
  {
    title: 'connects to a socket file, such as that of PostgreSQL',
    code: `
import socket
socket.socket(socket.AF_UNIX).connect(world['socket_file'])
return True`,
  },
  {
    title: 'connects one of a pair of sockets to a socket file',
    code: `
import socket
one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.connect(world['socket_file'] + '.dgram')
return one.send(b'x') == 1`,
  },
  {
    title: 'connects one of a pair of stream sockets to a socket file',
    ends: /^raised (OSError (EISCONN|EINVAL)|FileNotFoundError|PermissionError)/,
    worksUnsealed: false,
    code: `
import socket
one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
one.connect(world['socket_file'])
return True`,
  },
  {
    title: 'connects to an abstract socket',
    code: `
import socket
socket.socket(socket.AF_UNIX).connect(world['abstract'])
return True`,
  },
  {
    title: 'passes a descriptor to another process',
    code: `
import os, socket
one = socket.socket(socket.AF_UNIX)
one.connect(world['socket_file'])
socket.send_fds(one, [b'x'], [os.open('/dev/null', os.O_RDONLY)])
return True`,
  },
  {
    title: 'listens for another process on a socket file',
    code: `
import socket
one = socket.socket(socket.AF_UNIX)
one.bind('file.sock')
return True`,
  },
  {
    title: 'opens a raw socket',
    worksUnsealed: false,
    code: `import socket; return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)`,
  },
  {
    title: 'opens a packet socket',
    worksUnsealed: false,
    code: `import socket; return socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)`,
  },
  {
    title: 'opens a netlink socket',
    code: `import socket; return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).fileno() > 0`,
  },
  {
    title: 'opens a socket of the kernel’s cryptography',
    worksUnsealed: false,
    code: `import socket; return socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0).fileno() > 0`,
  },
  {
    title: 'opens a socket to the host of a virtual machine',
    worksUnsealed: false,
    code: `import socket; return socket.socket(40, socket.SOCK_STREAM, 0).fileno() > 0`,
  },
  {
    title: 'opens a socket of another protocol',
    worksUnsealed: false,
    code: `import socket; return socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).fileno() > 0`,
  },
];
