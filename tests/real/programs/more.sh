stty -icanon -echo; echo 'Hit RETURN to continue'; dd bs=1 count=1 2>/dev/null >/dev/null; stty icanon echo; echo ok
