trap 'echo "(interrupt again to give up)"; trap - INT' INT
while :; do sleep 1; done
