"""What a sealed process can read beside its packages: libraries, certificates, time zones."""

READABLE = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/etc/ld.so.cache",
    "/etc/ssl/certs",
    "/etc/ssl/cert.pem",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/ca-trust/extracted",
    "/usr/share/ca-certificates",
    "/usr/local/share/ca-certificates",
    "/usr/share/zoneinfo",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/os-release",
    # How many processors and how much memory there are: libraries size their pools by these.
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
)

#: In the mount namespace alone: the seal writes this one.
HOSTS = "/etc/hosts"

READABLE_DEVICES = ("/dev/random", "/dev/urandom")
WRITABLE_DEVICES = ("/dev/full", "/dev/null", "/dev/zero")
