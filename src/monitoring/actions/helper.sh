#!/bin/sh
# Asks Muster for actions that wait for this host, and has Monit perform them. Monit runs it in every cycle.
# Needs: curl or GNU wget, and `set httpd unixsocket` in the control file of Monit.
#
# Settings, each a line NAME=VALUE, in the file that is the first argument. Only root may read it, since it contains the secret.
#   url=      address of Muster
#   login=    NAME:SECRET of the agent key with which this host reports
#   ca=       file with the certificates to trust, if they are not those of the system
#   control=  control file of Monit, if it is not the usual one
#
# What Muster answers is data: no part of it is evaluated, split into words or taken as an option.
set -u
LC_ALL=C
export LC_ALL
umask 077
# Monit runs this with a PATH that lacks the folder in which FreeBSD has curl and monit.
PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin"
export PATH

settings=${1:-/etc/muster-actions.conf}
tab=$(printf '\t')
url='' login='' ca='' control=''

fail() {
  printf '%s\n' "muster-actions: $1"
  exit 1
}

[ -r "$settings" ] || fail "cannot read $settings"
while IFS='=' read -r name value || [ -n "$name" ]; do
  case $name in
    url) url=$value ;;
    login) login=$value ;;
    ca) ca=$value ;;
    control) control=$value ;;
  esac
done <"$settings"

case $url in
  http://?* | https://?*) url=${url%/} ;;
  *) fail "$settings has no url= that begins with http:// or https://" ;;
esac
case $login in
  :* | *: | *[!A-Za-z0-9._:-]*) login='' ;;
  *:*) ;;
  *) login='' ;;
esac
[ -n "$login" ] || fail "$settings has no login= of NAME:SECRET"

# The secret is passed on standard input, so that no list of processes shows it.
if command -v curl >/dev/null 2>&1; then
  # request PATH BODY
  request() {
    printf 'user = "%s"\n' "$login" |
      curl -q --config - --silent --show-error --fail --proto '=http,https' --max-time 20 --max-filesize 65536 \
        ${ca:+--cacert "$ca"} --header 'Content-Type: text/plain' --data-binary "$2" "$url$1"
  }
elif wget --version 2>/dev/null | grep -q GNU; then
  request() {
    printf '%s\n' "${url%%://*}://$login@${url#*://}$1" |
      wget --no-config --input-file=- --auth-no-challenge --quiet --output-document=- --tries=1 --timeout=20 \
        --max-redirect=0 ${ca:+--ca-certificate="$ca"} --header='Content-Type: text/plain' --post-data="$2"
  }
else
  fail 'needs curl or GNU wget'
fi

# perform ACTION SERVICE
perform() {
  monit ${control:+-c "$control"} "$1" "$2" </dev/null 2>&1
}

agent=$(monit ${control:+-c "$control"} -i </dev/null 2>/dev/null) || fail 'monit -i does not say the id of the agent'
agent=${agent##*[!A-Za-z0-9._-]}
[ -n "$agent" ] || fail 'monit -i does not say the id of the agent'

reply=$(request /agent/actions "$agent" 2>&1) || fail "no answer from $url: $(printf '%s' "$reply" | head -n 1 | cut -c 1-200)"
[ "${#reply}" -le 65536 ] || fail 'the answer is too long'
[ -n "$reply" ] || exit 0

failed=0
while IFS=$tab read -r id action service; do
  case $id in
    '' | *[!0-9]*) continue ;;
  esac
  case $action in
    start | stop | restart | monitor | unmonitor) ;;
    *) continue ;;
  esac
  # Monit would read these as an option, or as every service.
  case $service in
    '' | -* | [Aa][Ll][Ll] | *[[:cntrl:]]*) continue ;;
  esac
  code=0
  output=$(perform "$action" "$service") || code=$?
  output=$(printf '%s' "$output" | head -n 1 | tr -d '\000-\037\177' | cut -c 1-200)
  printf '%s\n' "$action $service: $code $output"
  request /agent/actions/result "$agent
$id$tab$code$tab$output" >/dev/null 2>&1 || failed=1
done <<REPLY
$reply
REPLY
[ "$failed" -eq 0 ] || fail 'Muster did not take a result'
