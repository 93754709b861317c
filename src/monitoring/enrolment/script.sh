#!/bin/sh
# Installs Monit and points it at Muster. If that has been done already, it changes nothing.
#
#   curl -fsS @MUSTER_URL@/enrol.sh | MUSTER_CODE=CODE sh
#
# Variables of the environment:
#   MUSTER_CODE     enrolment code; asked for on a terminal if neither it nor MUSTER_KEY is set
#   MUSTER_KEY      NAME:SECRET of an agent key, in place of a code
#   MUSTER_URL      address of Muster (default @MUSTER_URL@)
#   MUSTER_CA       file with the certificate authority of Muster's certificate, in PEM
#   MUSTER_GROUPS   host groups that Monit names, separated by commas (Monit 5.34 and later)
#   MUSTER_ACTIONS  yes: also install what lets this host ask for actions on its services
#   MUSTER_WAIT     seconds to wait for the first report (default 180; 0: do not wait)
#   MUSTER_MONITRC  Monit's control file (default: where the packages have it)
#
# Exit codes: 0 the host reports; 1 wrong use; 2 Monit cannot be installed; 3 Muster cannot be reached, or refuses the code,
# key or host; 4 the control file is broken already; 5 it would be broken, and is as it was before; 6 it has another line for this
# Muster; 7 Monit does not start; 8 no report has arrived in time.
set -u
umask 077
LC_ALL=C
export LC_ALL

DEFAULT_URL='@MUSTER_URL@'
ALLOW_PLAIN='@ALLOW_PLAIN@'
PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin"
export PATH

scratch=''
# Not empty while something is written that Monit has not checked.
pending=''
say() { printf 'muster: %s\n' "$*"; }
fail() {
  exit_code=$1
  shift
  printf 'muster: %s\n' "$*" >&2
  exit "$exit_code"
}
have() { command -v "$1" >/dev/null 2>&1; }
clean_up() {
  [ -z "$pending" ] || undo
  [ -z "$scratch" ] || rm -rf "$scratch"
}

# The value of a text or number in a line of JSON, without control characters.
json_text() {
  sed -nE 's/.*"'"$1"'":"(([^"\\]|\\.)*)".*/\1/p' "$2" | head -n 1 | sed 's/\\\(["\\/]\)/\1/g' | tr -d '[:cntrl:]'
}
json_word() { sed -n 's/.*"'"$1"'":\([a-z0-9]*\).*/\1/p' "$2" | head -n 1; }

# Whether a text is not empty and consists only of characters of a class.
consists_of() {
  case $2 in
  '' | *[!$1]*) return 1 ;;
  esac
}

# A path from the root, as Monit needs it: it runs in another folder.
absolute() {
  case $1 in
  '' | /*) printf '%s' "$1" ;;
  *) printf '%s' "$PWD/$1" ;;
  esac
}

is_key() { consists_of 'A-Za-z0-9._-' "$name" && consists_of 'A-Za-z0-9._-' "$secret"; }

install_package() {
  if have apt-get; then
    DEBIAN_FRONTEND=noninteractive apt-get install -y "$1" >"$scratch/install" 2>&1 ||
      { apt-get update >"$scratch/install" 2>&1 && DEBIAN_FRONTEND=noninteractive apt-get install -y "$1" >>"$scratch/install" 2>&1; }
  elif have dnf; then
    # RHEL and its rebuilds have Monit in EPEL, Fedora has it.
    dnf install -y "$1" >"$scratch/install" 2>&1 ||
      { dnf install -y epel-release >"$scratch/install" 2>&1 && dnf install -y "$1" >>"$scratch/install" 2>&1; }
  elif have yum; then
    yum install -y "$1" >"$scratch/install" 2>&1 ||
      { yum install -y epel-release >"$scratch/install" 2>&1 && yum install -y "$1" >>"$scratch/install" 2>&1; }
  elif have apk; then
    apk add "$1" >"$scratch/install" 2>&1
  elif have pkg; then
    ASSUME_ALWAYS_YES=yes pkg install -y "$1" >"$scratch/install" 2>&1
  else
    fail 2 "there is no apt-get, dnf, yum, apk or pkg here: install $1 and run this again"
  fi
}

need() {
  have "$1" && return
  say "installing $1"
  if ! install_package "$1" || ! have "$1"; then
    tail -n 5 "$scratch/install" >&2
    fail 2 "$1 cannot be installed"
  fi
}

# Fetches a file from Muster.
fetch() {
  set -- "$1" "$2" -fsS --max-time 30
  path=$1 file=$2
  shift 2
  [ -z "$ca" ] || set -- "$@" --cacert "$ca"
  curl "$@" -o "$file" "$url$path" 2>"$scratch/curl"
}

# Posts JSON from a file, so that no secret is in the arguments of a program. Prints the status; 000: not reached.
post() {
  set -- "$1" "$2" -sS --max-time 30 -H 'Content-Type: application/json' -o "$scratch/reply"
  path=$1 body=$2
  shift 2
  [ -z "$ca" ] || set -- "$@" --cacert "$ca"
  : >"$scratch/reply"
  curl "$@" -w '%{http_code}' --data-binary "@$body" "$url/api/1/enrol/$path" 2>"$scratch/curl"
}

# Ends with what Muster replied to a refused request, or why it cannot be reached.
refused() {
  [ "$1" != 000 ] || fail 3 "cannot reach $url: $(head -n 1 "$scratch/curl")"
  reason=$(json_text error "$scratch/reply")
  fail 3 "${reason:-$url answers with status $1, so it may not be Muster}"
}

# The control file and the files that it includes, except the fragment.
other_files() {
  printf '%s\n' "$control"
  included "$control" | while IFS= read -r pattern; do
    for file in $pattern; do
      [ -f "$file" ] && [ "$file" != "$fragment" ] && printf '%s\n' "$file"
    done
  done
}

included() { sed -n 's/^[[:space:]]*[Ii][Nn][Cc][Ll][Uu][Dd][Ee][[:space:]]\{1,\}"\{0,1\}\([^"#[:space:]]*\).*/\1/p' "$1"; }

# A control file without its lines that are comments.
statements() { grep -v '^[[:space:]]*#' "$1"; }

# Whether a statement, such as "set daemon", is in one of the other files.
has_statement() {
  other_files | while IFS= read -r file; do
    grep -Eiq "^[[:space:]]*set[[:space:]]+$1([[:space:]]|\$)" "$file" && echo yes
  done | grep -q yes
}

# Whether Monit's version is at least 5.34, which knows host groups.
knows_groups() {
  monit -V 2>/dev/null | sed -n 's/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | {
    read -r major minor || exit 1
    [ "$major" -gt 5 ] || { [ "$major" -eq 5 ] && [ "$minor" -ge 34 ]; }
  }
}

write_fragment() {
  echo '# Written by the enrolment script of Muster, which replaces it.'
  printf 'set mmonit %s://%s:%s@%s/collector' "${url%%://*}" "$name" "$secret" "${url#*://}"
  case $url in
  https://*)
    printf '\n    with ssl { verify: enable'
    [ -z "$ca" ] || printf ', cacertificatefile: %s' "$ca"
    printf ' }'
    ;;
  esac
  [ -z "$groups" ] || printf '\n    with hostgroups [ %s ]' "$groups"
  printf '\n'
  has_statement daemon || echo 'set daemon 30'
  has_statement eventqueue || echo "set eventqueue basedir $queue slots 1000"
  [ -z "$actions" ] || write_actions
}

# The check that runs the helper, and the local socket by which the helper reaches Monit. Its password is this host's own.
write_actions() {
  if ! has_statement 'httpd[[:space:]].*unixsocket'; then
    allowed=$(sed -n 's/^    allow muster:\([0-9a-f]\{32\}\)$/\1/p' "$fragment" 2>/dev/null | head -n 1)
    [ -n "$allowed" ] || allowed=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
    printf 'set httpd unixsocket /var/run/monit.sock\n    allow muster:%s\n' "$allowed"
  fi
  printf 'check program muster-actions with path "%s %s" timeout 120 seconds\n' "$helper" "$settings"
  echo '    if status != 0 for 3 cycles then alert'
}

write_settings() {
  printf 'url=%s\nlogin=%s:%s\n' "$url" "$name" "$secret"
  [ -z "$ca" ] || printf 'ca=%s\n' "$ca"
  [ -z "${MUSTER_MONITRC:-}" ] || printf 'control=%s\n' "$control"
}

# put FILE SOURCE MODE: puts a file into its place at once, unless it is there with this content and mode.
# A name that begins with a dot is not included by Monit.
put() {
  if cmp -s "$2" "$1" && [ -n "$(find "$1" -perm "$3")" ]; then return; fi
  changed=yes
  saved=$((saved + 1))
  printf '%s\n' "$1" >"$scratch/put.$saved"
  [ ! -f "$1" ] || cp -p "$1" "$scratch/before.$saved"
  pending=yes
  new="$(dirname "$1")/.muster.new"
  [ -d "$(dirname "$1")" ] || : >"$scratch/folder.$saved"
  (umask 022 && mkdir -p "$(dirname "$1")") && cp "$2" "$new" && chmod "$3" "$new" && mv "$new" "$1" ||
    fail 5 "cannot write $1"
}

# Puts back what was there before.
undo() {
  while [ "$saved" -gt 0 ]; do
    file=$(cat "$scratch/put.$saved")
    rm -f "$(dirname "$file")/.muster.new"
    if [ -f "$scratch/before.$saved" ]; then cp -p "$scratch/before.$saved" "$file"; else rm -f "$file"; fi
    [ ! -f "$scratch/folder.$saved" ] || rmdir "$(dirname "$file")"
    rm -f "$scratch/before.$saved" "$scratch/folder.$saved"
    saved=$((saved - 1))
  done
  if [ -f "$scratch/control.before" ]; then
    cat "$scratch/control.before" >"$control"
    touch -r "$scratch/control.before" "$control"
    rm -f "$scratch/control.before"
  fi
  pending=''
}

# Writes the lines for the name and secret, and what belongs to them. Ends if Monit refuses them.
write_lines() {
  changed=''
  saved=0
  if [ -n "$actions" ]; then
    write_settings >"$scratch/settings"
    put "$settings" "$scratch/settings" 600
    put "$helper" "$scratch/helper" 755
  fi
  write_fragment >"$scratch/fragment"
  put "$fragment" "$scratch/fragment" 600
  if [ -n "$add_include" ]; then
    changed=yes
    cp -p "$control" "$scratch/control.before"
    pending=yes
    printf '\ninclude %s/*\n' "$folder" >>"$control"
  fi
  if [ -n "$changed" ] && ! monit -t -c "$control" >"$scratch/check" 2>&1; then
    fail 5 "Monit refuses the new lines, so everything is as it was before: $(cat "$scratch/check")"
  fi
}

# Starts Monit by the system's service manager, or without one.
start_monit() {
  if [ -d /run/systemd/system ]; then
    systemctl enable monit >/dev/null 2>&1
    systemctl restart monit
  elif have rc-update && have rc-service; then
    rc-update add monit default >/dev/null 2>&1
    rc-service monit restart
  elif [ "$(uname -s)" = FreeBSD ]; then
    sysrc monit_enable=YES >/dev/null
    service monit restart
  else
    monit -c "$control"
  fi >"$scratch/start" 2>&1
}

# ask_arrival AGENT HOSTNAME
ask_arrival() {
  printf '{"name":"%s","secret":"%s","agentid":"%s","hostname":"%s"}' "$name" "$secret" "$1" "$2" >"$scratch/arrival"
  post arrival "$scratch/arrival"
}

main() {
  [ $# -eq 0 ] || fail 1 "there are no arguments: set MUSTER_CODE and other variables of the environment"
  url=${MUSTER_URL:-$DEFAULT_URL}
  url=${url%/}
  ca=$(absolute "${MUSTER_CA:-}")
  code=${MUSTER_CODE:-}
  key=${MUSTER_KEY:-}
  wait=${MUSTER_WAIT:-180}
  case $url in
  https://* | http://*) ;;
  *) fail 1 "MUSTER_URL must be an address that begins with https:// or http://" ;;
  esac
  consists_of ']A-Za-z0-9.:[-' "${url#*://}" || fail 1 "MUSTER_URL must have a host and a port alone"
  case ${MUSTER_ACTIONS:-no} in
  yes | no) ;;
  *) fail 1 "MUSTER_ACTIONS must be yes or no" ;;
  esac
  actions=${MUSTER_ACTIONS:-no}
  [ "$actions" = yes ] || actions=''
  consists_of 0-9 "$wait" || fail 1 "MUSTER_WAIT must be a number of seconds"
  if [ -n "$ca" ]; then
    [ -f "$ca" ] || fail 1 "MUSTER_CA: there is no file $ca"
    consists_of 'A-Za-z0-9._/-' "$ca" || fail 1 "MUSTER_CA must be a path of letters, digits and . _ - /"
  fi
  [ "$(id -u)" -eq 0 ] || fail 1 "run this as root: sudo --preserve-env=MUSTER_CODE sh"
  if [ -z "$code$key" ] && (: </dev/tty) 2>/dev/null; then
    printf 'Enrolment code: ' >/dev/tty
    read -r code </dev/tty
  fi
  [ -n "$code$key" ] || fail 1 "MUSTER_CODE must be an enrolment code"
  [ -z "$code" ] || consists_of 'A-Za-z0-9_-' "$code" || fail 1 "MUSTER_CODE must be an enrolment code"
  name=${key%%:*}
  secret=${key#*:}
  if [ -n "$key" ]; then
    is_key || fail 1 "MUSTER_KEY must be NAME:SECRET"
  fi
  case $url in
  https://* | http://localhost | http://localhost:* | http://127.* | 'http://[::1]' | 'http://[::1]':*) ;;
  *) [ "$ALLOW_PLAIN" = yes ] || [ -n "$key" ] ||
    fail 3 "$url is not https: a code is sent over plain http only if an administrator of Muster allows it" ;;
  esac
  groups=''
  if [ -n "${MUSTER_GROUPS:-}" ]; then
    case $MUSTER_GROUPS in
    *'"'* | *\\* | *'['* | *']'* | *[[:cntrl:]]*) fail 1 "MUSTER_GROUPS must be names without quotes, brackets and backslashes" ;;
    esac
    groups=$(printf '%s' "$MUSTER_GROUPS" | sed 's/[[:space:]]*,[[:space:]]*/", "/g; s/^/"/; s/$/"/')
  fi

  scratch=$(mktemp -d) || fail 1 "cannot make a temporary folder"
  trap clean_up EXIT
  trap 'exit 1' HUP INT TERM
  host=$(uname -n | tr -cd 'A-Za-z0-9._-')
  need curl
  need monit

  control=$(absolute "${MUSTER_MONITRC:-}")
  if [ -z "$control" ]; then
    for file in /etc/monit/monitrc /etc/monitrc /usr/local/etc/monitrc /usr/local/etc/monit/monitrc; do
      [ ! -f "$file" ] || { control=$file && break; }
    done
  fi
  # Only now, since installing Monit may have made it.
  [ -z "${MUSTER_MONITRC:-}" ] || [ -f "$control" ] || fail 1 "MUSTER_MONITRC: there is no file $control"
  [ -f "$control" ] || fail 2 "there is no control file of Monit: set MUSTER_MONITRC"
  # Monit itself says what is wrong, with file and line.
  monit -t -c "$control" >"$scratch/check" 2>&1 ||
    fail 4 "the control file is broken already, nothing was changed: $(cat "$scratch/check")"

  # The folder that the control file includes, or else the usual one beside it.
  pattern=$(included "$control" | grep -E '/\*(\.[A-Za-z0-9]+)?$' | head -n 1)
  add_include=''
  if [ -z "$pattern" ]; then
    pattern="$(dirname "$control")/monit.d/*"
    add_include=yes
  fi
  folder=${pattern%/*}
  fragment="$folder/muster${pattern##*/\*}"
  queue=/var/lib/monit/events
  [ "$(uname -s)" != FreeBSD ] || queue=/var/db/monit/events

  other=$(other_files | while IFS= read -r file; do
    statements "$file" | grep -Fq "@${url#*://}/collector" && statements "$file" | grep -Eiq '^[[:space:]]*set[[:space:]]+mmonit' &&
      printf '%s ' "$file"
  done)
  [ -z "$other" ] || fail 6 "remove the \"set mmonit\" line for ${url#*://} from ${other% } first: a host has one key"

  agent=$(monit --id -c "$control" 2>/dev/null | sed -n 's/.*Monit ID: \([A-Za-z0-9._-]*\).*/\1/p')
  [ -n "$agent" ] || fail 7 "Monit does not say its id"
  # The name that Monit reports, which may be another one than the system's; empty if Monit does not say it.
  reported=$(monit -t -v -c "$control" 2>/dev/null | sed -n 's/^System Name  *= //p' | head -n 1)
  consists_of 'A-Za-z0-9._ -' "$reported" || reported=''
  if [ -n "$groups" ] && ! knows_groups; then
    say "this Monit is older than 5.34 and cannot name host groups: they are left out"
    groups=''
  fi
  if [ -n "$actions" ]; then
    helper=/usr/local/sbin/muster-actions
    settings=/etc/muster-actions.conf
    fetch /muster-actions.sh "$scratch/helper" || fail 3 "cannot fetch $url/muster-actions.sh: $(head -n 1 "$scratch/curl")"
  fi

  if [ -n "$code" ]; then
    # A machine that shows the key that it has already is not counted again.
    # The address is searched as it is, since that of IPv6 has brackets, which mean something else in a pattern.
    held=$(grep -F "@${url#*://}/collector" "$fragment" 2>/dev/null |
      sed -n 's|^set mmonit [a-z]*://\([A-Za-z0-9._-]*:[A-Za-z0-9._-]*\)@.*|\1|p' | head -n 1)
    # Monit judges the lines with another key first: if it refuses them, no use of the code may be counted.
    name=${held%%:*}
    secret=${held#*:}
    [ -n "$held" ] || { name=muster && secret=trial; }
    write_lines
    undo
    printf '{"code":"%s"' "$code" >"$scratch/exchange"
    [ -z "$held" ] || printf ',"name":"%s","secret":"%s"' "${held%%:*}" "${held#*:}" >>"$scratch/exchange"
    # A use of the code must not be counted for a host that its key refuses.
    printf ',"hostname":"%s"}' "$reported" >>"$scratch/exchange"
    status=$(post exchange "$scratch/exchange")
    [ "$status" = 200 ] || refused "$status"
    name=$(json_text name "$scratch/reply")
    secret=$(json_text secret "$scratch/reply")
    is_key || fail 3 "$url does not reply as Muster does"
  fi

  status=$(ask_arrival "$agent" "$reported")
  [ "$status" = 200 ] || refused "$status"
  reason=$(json_text refused "$scratch/reply")
  [ -z "$reason" ] || fail 3 "$reason"
  before=$(json_word reported "$scratch/reply")

  earlier=$(sed -n 's|^set mmonit [a-z]*://[^@]*@\([][A-Za-z0-9.:-]*\)/collector.*|\1|p' "$fragment" 2>/dev/null | head -n 1)
  [ -z "$earlier" ] || [ "$earlier" = "${url#*://}" ] ||
    say "replacing the line for $earlier in $fragment: this host no longer reports there"
  mkdir -p "$queue"
  write_lines
  pending=''

  if [ -n "$changed" ]; then
    say "wrote $fragment"
    reloaded=$(monit -c "$control" reload 2>&1)
  else
    say "$fragment is as it should be"
    reloaded=$(monit -c "$control" status 2>&1)
  fi
  case $reloaded in
  *'not running'*) start_monit || fail 7 "Monit does not start: $(tail -n 5 "$scratch/start")" ;;
  esac

  [ "$wait" -gt 0 ] || { say "Monit reports to $url from now on" && return; }
  say "waiting for the first report"
  end=$(($(date +%s) + wait))
  while :; do
    status=$(ask_arrival "$agent" "$host")
    arrived=$(json_word arrived "$scratch/reply")
    if [ "$status" = 200 ] && [ "$arrived" = true ]; then
      # A report from before the change does not show that the new configuration works.
      if [ -z "$changed" ] || [ "$(json_word reported "$scratch/reply")" != "$before" ]; then break; fi
    fi
    if [ "$(date +%s)" -ge "$end" ]; then
      [ "$status" = 200 ] || refused "$status"
      reason=$(json_text refused "$scratch/reply")
      # The control file may have Monit report another name than the system's.
      fail 8 "no report of this host has arrived within $wait seconds${reason:+; as $host it would be refused: $reason}. Monit's log, and the rejected messages in Muster's settings, say why"
    fi
    sleep 2
  done
  known=$(json_text hostname "$scratch/reply")
  new_id="stop Monit, delete the file with its id and start it again"
  if [ "$(json_word shared "$scratch/reply")" = true ]; then
    say "another machine reports to $url with the id of this one, as clones do: on one of them $new_id"
  elif [ "${known%%.*}" != "${host%%.*}" ]; then
    # The control file may have Monit report another name than the system's.
    say "$url has reports with the id of this host, as $known. If that is another machine, this one is a clone: $new_id"
  else
    say "this host reports to $url"
  fi
}

main "$@"
